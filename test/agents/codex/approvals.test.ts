// What an approval of Codex shows beside the action itself, and for which of them an allow may be used once more.
import { describe, expect, it } from 'vitest';
import { commandApproval } from '../../../src/agents/codex/approvals.ts';
import { fileApproval } from '../../../src/agents/codex/file-approval.ts';
import { createTranscripts } from '../../../src/agents/codex/transcripts.ts';
import { servesFor } from '../../../src/agents/codex/unused-approvals.ts';

const PLACE = { threadId: 'thread', turnId: 'turn', itemId: 'call' };
const COMMAND = { ...PLACE, command: `/bin/bash -lc 'mkdir a'`, cwd: '/project' };
const RULE = { reason: '`mkdir a` requires approval by policy' };
const asked = (more: object) => commandApproval({ ...COMMAND, ...more }, undefined)?.spec ?? expect.fail('not shown');

/** Whether an allow serves once more where nothing is written of the call. */
async function may(shown: ReturnType<typeof asked>, approvalPolicy: string): Promise<boolean> {
  const transcripts = createTranscripts();
  transcripts.know({ thread: { id: 'thread' }, approvalPolicy });
  return (await servesFor(shown, { place: PLACE, itemId: 'call' }, transcripts)) !== undefined;
}

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
  ])('%s: whether its allow may be used once more', async (_name, more, expected) => {
    expect(await may(asked(more), 'on-request')).toBe(expected);
  });

  it.each([
    ['where nobody says why', 'on-request', ''],
    ['where every command is asked for, also with a reason', 'untrusted', 'May I?'],
  ])('%s: its allow may not be used once more', async (_name, policy, reason) => {
    expect(await may({ ...asked({ proposedExecpolicyAmendment: ['mkdir', 'a'] }), reason }, policy)).toBe(false);
  });
});

it('what was allowed for files as they were may not be done once more', async () => {
  const outside = asked({ reason: 'May I?', proposedExecpolicyAmendment: ['mkdir', 'a'] });
  const files = [{ path: '/project/a', sha256: '0'.repeat(64) }];
  expect(await may({ ...outside, files }, 'on-request')).toBe(false);
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
