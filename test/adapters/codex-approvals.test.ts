// What an approval of Codex shows beside the action itself, and for which of them an allow may be used once more.
import { describe, expect, it } from 'vitest';
import { commandApproval, mayStand } from '../../src/agents/codex-approvals.ts';
import { fileApproval } from '../../src/agents/codex-file-approval.ts';

const PLACE = { threadId: 'thread', turnId: 'turn', itemId: 'call' };
const COMMAND = { ...PLACE, command: `/bin/bash -lc 'mkdir a'`, cwd: '/project' };
const RULE = { reason: '`mkdir a` requires approval by policy' };
const asked = (more: object) => commandApproval({ ...COMMAND, ...more }, undefined)?.spec ?? expect.fail('not shown');

describe('a command', () => {
  it('is shown with the permissions it wants beside those of the sandbox', () => {
    const additionalPermissions = { network: { enabled: true }, fileSystem: null };
    expect(asked({ additionalPermissions }).input).toEqual({
      command: 'mkdir a',
      cwd: '/project',
      additional_permissions: additionalPermissions,
    });
  });

  it.each<[string, object, boolean]>([
    ['that a rule has asked for', RULE, false],
    ['that every command is asked for', { proposedExecpolicyAmendment: ['mkdir', 'a'] }, false],
    ['that the model wants outside', { reason: 'May I?', proposedExecpolicyAmendment: ['mkdir', 'a'] }, true],
    ['that says which more it wants', { ...RULE, additionalPermissions: { network: { enabled: true } } }, true],
  ])('%s: whether its allow may be used once more', (_name, more, expected) => {
    expect(mayStand(asked(more))).toBe(expected);
  });
});

describe('a change of files', () => {
  const update = (diff: string, move_path?: string) => ({
    type: 'fileChange',
    changes: [{ path: '/project/a.txt', kind: { type: 'update', move_path }, diff }],
  });
  const shown = (item: ReturnType<typeof update>, more: object = {}) => {
    const wanted = fileApproval({ ...PLACE, ...more }, item, '/project');
    return typeof wanted === 'string' ? expect.fail(wanted) : wanted.spec;
  };
  const CHANGE = '@@ -1 +1 @@\n-one\n+two\n';

  it('is shown with the folder it wants to change further', () => {
    expect(shown(update(CHANGE), { grantRoot: '/etc' }).input).toMatchObject({ path: 'a.txt', grant_root: '/etc' });
  });

  it('is shown without the note of Codex that the file is moved, which is no line of it', () => {
    const { diff, input } = shown(update(`${CHANGE}\n\nMoved to: /project/b.txt`, '/project/b.txt'));
    expect(diff).toBe('--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two');
    expect(input).toMatchObject({ files: [{ path: 'a.txt', moved_to: 'b.txt' }] });
    expect(shown(update('@@ -1 +1 @@\n-one\n+Moved to: /project/b.txt\n', '/project/b.txt')).diff).toContain(
      '+Moved to:',
    );
  });
});
