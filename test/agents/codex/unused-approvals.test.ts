// For what an allow of a command serves once more, by what Codex wrote down of the call that asked and of the one that asks
// again: never for more than was allowed, and never twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { commandApproval } from '../../../src/agents/codex/approvals.ts';
import { createTranscripts } from '../../../src/agents/codex/transcripts.ts';
import { keepAllowed, takeAllowed } from '../../../src/agents/codex/unused-approvals.ts';
import { createStanding, type Standing } from '../../../src/agents/kit/resume-message.ts';
import type { AskView } from '../../../src/core/views.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-standing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (type: string, payload: object) => `${JSON.stringify({ type, payload })}\n`;
const WRITES = { type: 'workspace-write', network_access: false };
const turn = (turn_id: string, sandbox_policy: object = WRITES, approval_policy = 'untrusted') =>
  line('turn_context', { turn_id, cwd: '/project', approval_policy, sandbox_policy });
const call = (given: object) =>
  line('response_item', {
    type: 'function_call',
    call_id: 'call',
    arguments: JSON.stringify({ cmd: 'make', ...given }),
  });
const OUTSIDE = { sandbox_permissions: 'require_escalated' };

const transcripts = createTranscripts();
let standing: Standing;
beforeEach(() => {
  standing = createStanding();
});
const written = (...lines: string[]) => {
  const path = join(folder, 'thread.jsonl');
  writeFileSync(path, lines.join(''));
  transcripts.know({ thread: { id: 'thread', path }, approvalPolicy: 'untrusted' });
};

const wanted = (turnId: string, reason?: string) => {
  const asked = {
    threadId: 'thread',
    turnId,
    itemId: 'call',
    command: `/bin/bash -lc 'make'`,
    cwd: '/project',
    reason,
  };
  return commandApproval(asked, undefined) ?? expect.fail('not shown');
};
/** Allowed in the first turn, while no process was there. */
function allowed(reason?: string, again = ''): AskView {
  const { spec, id } = wanted('first', reason);
  const request = { ...spec, reason: reason ?? '' };
  const answer = { outcome: 'answered', behavior: 'allow' };
  return { ask_id: 'ask', kind: 'approval', status: 'answered', tool_call_id: id + again, request, answer } as never;
}
const input = { command: 'make', cwd: '/project' };
const take = (reason?: string, turnId = 'second') =>
  takeAllowed(wanted(turnId, reason), input, { threadId: 'thread', turnId }, standing, transcripts);

describe('an allow for a command', () => {
  it.each<[string, string[], string | undefined]>([
    ['in the sandbox serves for the same', [turn('first'), call({}), turn('second'), call({})], 'ask'],
    [
      'in the sandbox serves for the same in other words',
      [turn('first'), call({ justification: 'a' }), turn('second'), call({ sandbox_permissions: 'use_default' })],
      'ask',
    ],
    ['in the sandbox is none outside', [turn('first'), call({}), turn('second'), call(OUTSIDE)], undefined],
    ['in the sandbox is none with more', [turn('first'), call({}), turn('second'), call({ tty: true })], undefined],
    [
      'in one sandbox is none in a wider one',
      [turn('first'), call({}), turn('second', { ...WRITES, network_access: true }), call({})],
      undefined,
    ],
    [
      'that every command is asked for is none where only more is asked for',
      [turn('first'), call({}), turn('second', WRITES, 'on-request'), call({})],
      undefined,
    ],
    ['outside serves outside', [turn('first'), call(OUTSIDE), turn('second'), call(OUTSIDE)], 'ask'],
    ['outside serves in the sandbox', [turn('first'), call(OUTSIDE), turn('second'), call({})], 'ask'],
    ['of which nothing is written serves for nothing', [turn('second'), call({})], undefined],
    ['serves for nothing of which nothing is written', [turn('first'), call({})], undefined],
  ])('%s', async (_, lines, expected) => {
    written(...lines);
    await keepAllowed([allowed()], 'thread', standing, transcripts);
    expect(await take()).toBe(expected);
    expect(await take()).toBeUndefined();
  });

  it('in the sandbox is none for the same without it, once it has failed there; and the other way round', async () => {
    const retry = 'command failed; retry without sandbox?';
    written(turn('first'), call({}), turn('second'), call({}));
    await keepAllowed([allowed()], 'thread', standing, transcripts);
    expect([await take(retry), await take()]).toEqual([undefined, 'ask']);
    await keepAllowed([allowed(retry, '~2')], 'thread', standing, transcripts);
    expect([await take(), await take(retry), await take(retry)]).toEqual([undefined, 'ask', undefined]);
  });
});
