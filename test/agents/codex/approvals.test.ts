// What an approval of Codex shows beside the action itself, and which approvals may be reused when no call is recorded.
import { describe, expect, it } from 'vitest';
import { reusableFor } from '../../../src/agents/codex/approval-reuse.ts';
import { commandApproval } from '../../../src/agents/codex/approvals.ts';
import { fileApproval } from '../../../src/agents/codex/file-approval.ts';
import { createRollouts } from '../../../src/agents/codex/rollouts.ts';

const ITEM = { threadId: 'thread', turnId: 'turn', itemId: 'call' };
const COMMAND = { ...ITEM, command: `/bin/bash -lc 'mkdir a'`, cwd: '/project' };
const RULE = { reason: '`mkdir a` requires approval by policy' };
const asked = (more: object) => commandApproval({ ...COMMAND, ...more }, undefined)?.spec ?? expect.fail('not shown');

/** Whether an approval may be reused although its call is not recorded. */
async function isReusable(shown: ReturnType<typeof asked>, approvalPolicy: string): Promise<boolean> {
  const rollouts = createRollouts();
  rollouts.learn({ thread: { id: 'thread' }, approvalPolicy });
  return (await reusableFor(shown, { turn: ITEM, itemId: 'call' }, rollouts)) !== undefined;
}

describe('a command', () => {
  it('is shown with the permissions it wants beyond the sandbox', () => {
    const additionalPermissions = { network: { enabled: true }, fileSystem: null };
    expect(asked({ additionalPermissions }).input).toEqual({
      command: 'mkdir a',
      cwd: '/project',
      additional_permissions: additionalPermissions,
    });
  });

  it.each<[string, object, boolean]>([
    ['that a rule asks about', RULE, false],
    ['without a reason', { proposedExecpolicyAmendment: ['mkdir', 'a'] }, false],
    [
      'that the model wants to run without the sandbox',
      { reason: 'May I?', proposedExecpolicyAmendment: ['mkdir', 'a'] },
      true,
    ],
    ['with additional permissions', { ...RULE, additionalPermissions: { network: { enabled: true } } }, true],
  ])('%s: whether its approval may be reused', async (_name, more, expected) => {
    expect(await isReusable(asked(more), 'on-request')).toBe(expected);
  });

  it.each([
    ['without a reason', 'on-request', ''],
    ['where every command is asked about, even with a reason', 'untrusted', 'May I?'],
  ])('%s: its approval may not be reused', async (_name, policy, reason) => {
    expect(await isReusable({ ...asked({ proposedExecpolicyAmendment: ['mkdir', 'a'] }), reason }, policy)).toBe(false);
  });
});

it.each([
  ['one file', [{ path: '/project/a', sha256: '0'.repeat(64) }]],
  ['files that are not watched any more', []],
])('does not reuse an approval that is bound to %s', async (_, files) => {
  const escalated = asked({ reason: 'May I?', proposedExecpolicyAmendment: ['mkdir', 'a'] });
  expect(await isReusable({ ...escalated, files }, 'on-request')).toBe(false);
});

describe('a change of files', () => {
  const update = (diff: string, move_path?: string) => ({
    type: 'fileChange',
    changes: [{ path: '/project/a.txt', kind: { type: 'update', move_path }, diff }],
  });
  const shown = (item: ReturnType<typeof update>, more: object = {}) => {
    const approval = fileApproval({ ...ITEM, ...more }, item, '/project');
    return typeof approval === 'string' ? expect.fail(approval) : approval.spec;
  };
  const CHANGE = '@@ -1 +1 @@\n-one\n+two\n';

  it('is shown with the folder that it wants to be allowed to change', () => {
    expect(shown(update(CHANGE), { grantRoot: '/etc' }).input).toMatchObject({ path: 'a.txt', grant_root: '/etc' });
  });

  it('is shown without the note about its new path that Codex appends to the diff', () => {
    const { diff, input } = shown(update(`${CHANGE}\n\nMoved to: /project/b.txt`, '/project/b.txt'));
    expect(diff).toBe('--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two');
    expect(input).toMatchObject({ files: [{ path: 'a.txt', moved_to: 'b.txt' }] });
    expect(shown(update('@@ -1 +1 @@\n-one\n+Moved to: /project/b.txt\n', '/project/b.txt')).diff).toContain(
      '+Moved to:',
    );
  });
});
