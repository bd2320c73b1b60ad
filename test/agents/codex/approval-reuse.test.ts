// Which repeated command an unused approval is reused for, by what Codex's rollout file says of both calls: never for more
// than was allowed, and never twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { takeUnused } from '../../../src/agents/codex/approval-reuse.ts';
import { commandApproval } from '../../../src/agents/codex/approvals.ts';
import { addUnused } from '../../../src/agents/codex/resume.ts';
import { createRollouts } from '../../../src/agents/codex/rollouts.ts';
import { createUnusedApprovals, type UnusedApprovals } from '../../../src/agents/kit/unused-approvals.ts';
import type { AskView } from '../../../src/core/views.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-reuse-'));
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
const UNSANDBOXED = { sandbox_permissions: 'require_escalated' };

const rollouts = createRollouts();
let unused: UnusedApprovals;
beforeEach(() => {
  unused = createUnusedApprovals();
});
const recorded = (...lines: string[]) => {
  const path = join(folder, 'thread.jsonl');
  writeFileSync(path, lines.join(''));
  rollouts.learn({ thread: { id: 'thread', path }, approvalPolicy: 'untrusted' });
};

const asked = (turnId: string, reason?: string) => {
  const params = {
    threadId: 'thread',
    turnId,
    itemId: 'call',
    command: `/bin/bash -lc 'make'`,
    cwd: '/project',
    reason,
  };
  return commandApproval(params, undefined) ?? expect.fail('not shown');
};
/** Allowed in the first turn, while no process was running. `suffix`: behind the id; `more`: in the request. */
function allowed(reason?: string, suffix = '', more: object = {}): AskView {
  const { spec, id } = asked('first', reason);
  const request = { ...spec, reason: reason ?? '', ...more };
  const answer = { outcome: 'answered', behavior: 'allow' };
  return { ask_id: 'ask', kind: 'approval', status: 'answered', tool_call_id: id + suffix, request, answer } as never;
}
const input = { command: 'make', cwd: '/project' };
const take = (reason?: string, turnId = 'second') =>
  takeUnused(asked(turnId, reason), input, { threadId: 'thread', turnId }, unused, rollouts);

describe('an approval of a command', () => {
  it.each<[string, string[], string | undefined]>([
    ['in the sandbox covers the same call', [turn('first'), call({}), turn('second'), call({})], 'ask'],
    [
      'in the sandbox covers the same call with another description',
      [turn('first'), call({ justification: 'a' }), turn('second'), call({ sandbox_permissions: 'use_default' })],
      'ask',
    ],
    [
      'in the sandbox does not cover it without the sandbox',
      [turn('first'), call({}), turn('second'), call(UNSANDBOXED)],
      undefined,
    ],
    [
      'in the sandbox does not cover it with further arguments',
      [turn('first'), call({}), turn('second'), call({ tty: true })],
      undefined,
    ],
    [
      'in one sandbox does not cover it in a wider one',
      [turn('first'), call({}), turn('second', { ...WRITES, network_access: true }), call({})],
      undefined,
    ],
    [
      'under one approval policy does not cover it under another',
      [turn('first'), call({}), turn('second', WRITES, 'on-request'), call({})],
      undefined,
    ],
    [
      'without the sandbox covers the same call',
      [turn('first'), call(UNSANDBOXED), turn('second'), call(UNSANDBOXED)],
      'ask',
    ],
    [
      'without the sandbox covers it in the sandbox',
      [turn('first'), call(UNSANDBOXED), turn('second'), call({})],
      'ask',
    ],
    ['whose call is not recorded covers nothing', [turn('second'), call({})], undefined],
    ['in the sandbox does not cover a call that is not recorded', [turn('first'), call({})], undefined],
  ])('%s', async (_, lines, expected) => {
    recorded(...lines);
    await addUnused([allowed()], 'thread', unused, rollouts);
    expect(await take()).toBe(expected);
    expect(await take()).toBeUndefined();
  });

  it('in the sandbox does not cover its retry without the sandbox, nor the other way round', async () => {
    const retry = 'command failed; retry without sandbox?';
    recorded(turn('first'), call({}), turn('second'), call({}));
    await addUnused([allowed()], 'thread', unused, rollouts);
    expect([await take(retry), await take()]).toEqual([undefined, 'ask']);
    await addUnused([allowed(retry, '~2')], 'thread', unused, rollouts);
    expect([await take(), await take(retry), await take(retry)]).toEqual([undefined, 'ask', undefined]);
  });

  it.each([
    ['that was asked again because a file had changed', '~1794705118957', { files: [] }],
    ['that release 0.1.0 asked again because a file had changed', '#1794705118957', {}],
    ['of a network connection', '', { tool_name: 'network' }],
  ])('%s covers nothing', async (_, suffix, more) => {
    recorded(turn('first'), call(UNSANDBOXED), turn('second'), call(UNSANDBOXED));
    await addUnused([allowed(undefined, suffix, more)], 'thread', unused, rollouts);
    expect(unused.isEmpty()).toBe(true);
  });
});
