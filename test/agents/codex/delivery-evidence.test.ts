// What the rollout file of an attached Codex says its model was told, and what that means for an answer that was sent
// while another may have been given first at Codex's own prompt.
// Covers: src/agents/codex/questions.ts
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createDeliveries } from '../../../src/agents/codex/delivery.ts';
import { isTheGrant } from '../../../src/agents/codex/delivery-evidence.ts';
import { userInput } from '../../../src/agents/codex/questions.ts';
import { createRollouts } from '../../../src/agents/codex/rollouts.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-rollouts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OURS = { answers: { db: { answers: ['SQLite'] } } };
const THEIRS = { answers: { db: { answers: ['Postgres'] } } };
const line = (type: string, payload: object) => `${JSON.stringify({ type, payload })}\n`;
const turn = (turn_id: string) =>
  line('turn_context', {
    turn_id,
    cwd: '/project',
    approval_policy: 'on-request',
    sandbox_policy: { type: 'read-only' },
  });
const call = (call_id: string) =>
  line('response_item', { type: 'function_call', name: 'request_user_input', arguments: '{}', call_id });
const outputOf = (call_id: string, output: unknown) =>
  line('response_item', { type: 'function_call_output', call_id, output });
const asText = (value: unknown) => JSON.stringify(value);

let made = 0;
/** An answer that was sent, in a turn that is recorded with these lines. */
function testBed(...lines: string[]) {
  made += 1;
  const path = join(folder, `${made}.jsonl`);
  writeFileSync(path, lines.join(''));
  const rollouts = createRollouts();
  rollouts.learn({ thread: { id: 'thread', path } });
  const ends: string[] = [];
  const context = {
    acknowledge: async () => void ends.push('delivered'),
    markUndeliverable: async (_: string, why: string) => void ends.push(why),
  };
  const deliveries = createDeliveries(context, { hasItem: async () => false, recordedCall: rollouts.recordedCall });
  const turn = { threadId: 'thread', turnId: 'turn-2' };
  const asked = userInput({ ...turn, itemId: 'call_Q', questions: [{ id: 'db', question: 'Which?' }] });
  const answer = { askId: 'ask', turn, asked, result: OURS };
  deliveries.sent(answer);
  deliveries.resolved(answer);
  return { deliveries, ends, write: (...more: string[]) => appendFileSync(path, more.join('')) };
}

const BEFORE = [turn('turn-1'), call('call_Q'), outputOf('call_Q', asText(THEIRS)), turn('turn-2'), call('call_Q')];

describe('an answered question that Codex has resolved', () => {
  it.each([
    ['is delivered if the model got this answer', asText(OURS), 'delivered'],
    ['is undeliverable if the model got another', asText(THEIRS), 'settled in Codex itself'],
    [
      'is undeliverable if the model was told of an interruption',
      'aborted by user after 0.1s',
      'settled in Codex itself',
    ],
    ['is delivered if the output cannot be read', `${asText(THEIRS).slice(0, 20)}…`, 'delivered'],
  ])('%s', async (_, output, end) => {
    const { deliveries, ends } = testBed(...BEFORE, outputOf('call_P', '{}'), outputOf('call_Q', output));
    await deliveries.recorded();
    expect(ends).toEqual([end]);
  });

  it('stays due until the model got an output, which parallel calls may delay', async () => {
    const { deliveries, ends, write } = testBed(...BEFORE);
    await deliveries.recorded();
    expect(ends).toEqual([]);
    write(outputOf('call_Q', asText(OURS)));
    await vi.waitFor(() => expect(ends).toEqual(['delivered']), 5000);
    deliveries.turnCompleted('turn-2');
    await deliveries.recorded();
    expect(ends).toEqual(['delivered']);
  });

  it.each([
    ['is undeliverable if the model got no output', BEFORE, 'the model was not seen to be told it'],
    [
      'is undeliverable if the line of the output is incomplete',
      [...BEFORE, outputOf('call_Q', asText(OURS)).slice(0, 60)],
      'the model was not seen to be told it',
    ],
    ['is delivered if the call is not recorded', [turn('turn-2')], 'delivered'],
    ['is delivered if nothing is recorded', [], 'delivered'],
  ])('%s by the end of its turn', async (_, lines, end) => {
    const { deliveries, ends } = testBed(...lines);
    deliveries.turnCompleted('turn-2');
    await deliveries.recorded();
    expect(ends).toEqual([end]);
  });
});

describe('the grant that the model was told of', () => {
  const network = { enabled: true };
  const asked = { network, fileSystem: { read: ['/etc'], write: ['/b', '/a'], entries: [{ access: 'write' }] } };
  const all = { network, file_system: { read: ['/etc'], write: ['/a', '/b'] } };
  const nothing = { network: null, file_system: null };
  const part = { network };

  it.each([
    [asked, 'turn', all, 'turn', true],
    [asked, 'turn', all, 'session', false],
    [asked, 'turn', nothing, 'turn', false],
    [{}, 'turn', nothing, 'turn', true],
    [{}, 'turn', all, 'turn', false],
    [part, 'session', { ...nothing, network }, 'session', true],
    [part, 'turn', all, 'turn', false],
    [{ fileSystem: { write: ['/a'] } }, 'turn', { ...nothing, file_system: { write: ['/real/a'] } }, 'turn', undefined],
  ])(
    'is compared with the one that was sent: %j for a %s, received %j for a %s: %s',
    (permissions, scope, received, receivedScope, expected) => {
      expect(isTheGrant({ permissions: received, scope: receivedScope }, { permissions, scope }, asked)).toBe(expected);
    },
  );

  it('is undetermined if its shape is unknown, and another if it was aborted', () => {
    expect(isTheGrant({ granted: 7 }, { permissions: {}, scope: 'turn' }, asked)).toBeUndefined();
    expect(isTheGrant('aborted by user', { permissions: {}, scope: 'turn' }, asked)).toBe(false);
  });
});
