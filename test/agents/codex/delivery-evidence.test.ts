// What an attached Codex writes down that its model was told, as the real one writes it, and what that makes of an answer
// that was sent while somebody at its own prompt may have been first.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createDeliveries } from '../../../src/agents/codex/delivery.ts';
import { areTheAnswers, isTheGrant } from '../../../src/agents/codex/delivery-evidence.ts';
import { createTranscripts } from '../../../src/agents/codex/transcripts.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-told-'));
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
const told = (call_id: string, output: unknown) =>
  line('response_item', { type: 'function_call_output', call_id, output });
const asText = (value: unknown) => JSON.stringify(value);

let made = 0;
/** An answer that was sent, in a turn of which this is written. */
function scene(...lines: string[]) {
  made += 1;
  const path = join(folder, `${made}.jsonl`);
  writeFileSync(path, lines.join(''));
  const transcripts = createTranscripts();
  transcripts.know({ thread: { id: 'thread', path } });
  const ends: string[] = [];
  const context = {
    acknowledge: async () => void ends.push('delivered'),
    markUndeliverable: async (_: string, why: string) => void ends.push(why),
  };
  const deliveries = createDeliveries(context, { has: async () => false, callOf: transcripts.callOf });
  const place = { threadId: 'thread', turnId: 'turn-2' };
  const answer = {
    askId: 'ask',
    place,
    call: { id: 'call_Q', isAnswer: (heard: unknown) => areTheAnswers(heard, OURS) },
  };
  deliveries.sent(answer);
  deliveries.settled(answer);
  return { deliveries, ends, write: (...more: string[]) => appendFileSync(path, more.join('')) };
}

const BEFORE = [turn('turn-1'), call('call_Q'), told('call_Q', asText(THEIRS)), turn('turn-2'), call('call_Q')];

describe('a question that was answered here, and is settled in Codex', () => {
  it.each([
    ['the model was told this answer', asText(OURS), 'delivered'],
    ['the model was told another', asText(THEIRS), 'settled in Codex itself'],
    ['the model was told that it was interrupted', 'aborted by user after 0.1s', 'settled in Codex itself'],
    ['nobody can read what it was told', `${asText(THEIRS).slice(0, 20)}…`, 'delivered'],
  ])('%s', async (_, output, end) => {
    const { deliveries, ends } = scene(...BEFORE, told('call_P', '{}'), told('call_Q', output));
    await deliveries.told();
    expect(ends).toEqual([end]);
  });

  it('is due until the model was told, which other calls may delay', async () => {
    const { deliveries, ends, write } = scene(...BEFORE);
    await deliveries.told();
    expect(ends).toEqual([]);
    write(told('call_Q', asText(OURS)));
    await vi.waitFor(() => expect(ends).toEqual(['delivered']), 5000);
    deliveries.turnOver('turn-2');
    await deliveries.told();
    expect(ends).toEqual(['delivered']);
  });

  it.each([
    ['the model was never told', BEFORE, 'the model was not seen to be told it'],
    [
      'a line is not whole',
      [...BEFORE, told('call_Q', asText(OURS)).slice(0, 60)],
      'the model was not seen to be told it',
    ],
    ['nothing is written of the call', [turn('turn-2')], 'delivered'],
    ['nothing is written at all', [], 'delivered'],
  ])('and its turn is over: %s', async (_, lines, end) => {
    const { deliveries, ends } = scene(...lines);
    deliveries.turnOver('turn-2');
    await deliveries.told();
    expect(ends).toEqual([end]);
  });
});

describe('what the model was told of permissions', () => {
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
  ])('%j for a %s: %j for a %s is this: %s', (permissions, scope, heard, heardScope, expected) => {
    expect(isTheGrant({ permissions: heard, scope: heardScope }, { permissions, scope }, asked)).toBe(expected);
  });

  it('in no words that are known', () => {
    expect(isTheGrant({ granted: 7 }, { permissions: {}, scope: 'turn' }, asked)).toBeUndefined();
    expect(isTheGrant('aborted by user', { permissions: {}, scope: 'turn' }, asked)).toBe(false);
  });
});
