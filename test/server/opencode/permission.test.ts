// How an approval appears as a permission of OpenCode: what its clients draw is what would run, whatever an agent sends.
import type { PermissionRequest as SdkPermission } from '@opencode-ai/sdk/v2';
import { describe, expect, it } from 'vitest';
import type { ApprovalAskView } from '../../../src/core/views.ts';
import { actionOf, decisionOf, permissionOf, replyOf } from '../../../src/server/opencode/permission.ts';

const approval = (request: Partial<ApprovalAskView['request']>): ApprovalAskView => ({
  ask_id: 'ask_01_ab',
  kind: 'approval',
  status: 'pending',
  session_id: 'ses_01',
  run_id: 'run_01',
  tool_call_id: 'call-1',
  mode: 'blocking',
  created_at_ms: 5,
  delivery: { state: 'none', attempts: 0 },
  request: {
    id: 'ask_01_ab',
    tool_call_id: 'call-1',
    tool_name: 'Bash',
    input: { command: 'ls' },
    scope: 'session',
    reason: '',
    digest: 'sha256:0',
    created_at_ms: 5,
    ...request,
  },
});

describe('an approval as a permission', () => {
  it('has the shape of the published types', () => {
    const shown: SdkPermission = permissionOf(approval({}));
    expect(shown).toMatchObject({
      id: 'per_01_ab',
      sessionID: 'ses_01',
      permission: 'bash',
      patterns: ['ls'],
      always: ['ls'],
    });
  });

  it('titles a command with its tool, folder, sub-agent and other arguments, never with words of the agent', () => {
    const input = { command: 'make', description: 'List files', dangerouslyDisableSandbox: true };
    const ask = approval({ input, work_folder: '/srv/app', lineage: ['general'] });
    expect(actionOf(ask).input).toEqual({
      command: 'make',
      description: 'Bash for general in /srv/app with {"dangerouslyDisableSandbox":true,"description":"List files"}',
    });
  });

  it('spells out characters that a terminal would hide', () => {
    const { patterns, metadata, input } = actionOf(approval({ input: { command: 'ls \u202e# sl\u001b[2K' } }));
    for (const text of [patterns[0], metadata.command, input.command]) expect(text).toBe('ls <U+202E># sl␛[2K');
  });

  it('shows a change of a file with its diff', () => {
    const diff = '--- a\n+++ a\n@@ -1 +1 @@\n-1\n+2\n';
    const ask = approval({ tool_name: 'Edit', input: { file_path: '/srv/app/a.ts' }, diff });
    expect(permissionOf(ask)).toMatchObject({
      permission: 'edit',
      patterns: ['/srv/app/a.ts'],
      metadata: { filepath: '/srv/app/a.ts', diff },
    });
  });

  it.each(['doom_loop', 'external_directory', 'read', 'edit', 'webfetch'])(
    'gives a tool named %s no name that clients draw without its input',
    (tool_name) => {
      const { permission, tool, patterns } = actionOf(approval({ tool_name, input: { run: 'rm -rf ~' } }));
      expect([permission, tool]).toEqual([`tool.${tool_name}`, `tool.${tool_name}`]);
      expect(patterns).toEqual(['{"run":"rm -rf ~"}']);
    },
  );

  it('shows nested arguments as text, which clients would leave out', () => {
    const { input } = actionOf(approval({ tool_name: 'Send', input: { to: ['a', 'b'], mail: { body: 'x' }, n: 1 } }));
    expect(input).toEqual({ to: '["a","b"]', mail: '{"body":"x"}', n: '1' });
  });

  it.each<[what: string, Partial<ApprovalAskView['request']>, always: string[]]>([
    ['a command, exactly as it is', { input: { command: 'git push origin main' } }, ['git push origin main']],
    [
      'the same text in the same file',
      { tool_name: 'Write', input: { file_path: '/srv/a.ts', content: 'x' } },
      ['{"content":"x","file_path":"/srv/a.ts"}'],
    ],
    [
      'every argument, where all are texts',
      { tool_name: 'Send', input: { to: 'a', body: 'b' } },
      ['{"body":"b","to":"a"}'],
    ],
    ['nothing for a tool that cannot be narrowed', { tool_name: 'Send', input: { to: ['a'] } }, []],
    ['nothing for a command that cannot be read', { input: { command: 'echo "' } }, []],
    ['nothing for hidden characters', { input: { command: 'ls \u202e' } }, []],
  ])('offers always for %s', (_, request, always) => {
    expect(permissionOf(approval(request)).always).toEqual(always);
  });

  it('takes always as a grant in the session for what is listed, and refuses it where nothing is', () => {
    expect(decisionOf(approval({ input: { command: 'ls *.ts' } }), 'always', undefined)).toEqual({
      request_id: 'ask_01_ab',
      behavior: 'allow',
      always: { scope: 'session', matches: { command: [expect.stringMatching(/^ls /)] } },
    });
    expect(() => decisionOf(approval({ tool_name: 'Send', input: { to: [] } }), 'always', undefined)).toThrow();
    expect(decisionOf(approval({}), 'once', ' ')).toEqual({ request_id: 'ask_01_ab', behavior: 'allow' });
  });

  it('ends as a rejection unless it was allowed', () => {
    const answer = { answered_by: 'ann', surface: 'web', answered_at_ms: 6 } as const;
    const allowed = { ...answer, outcome: 'answered', behavior: 'allow' } as const;
    expect(replyOf({ answer: allowed })).toBe('once');
    expect(replyOf({ answer: { ...allowed, suggestion_ids: ['a'] } })).toBe('always');
    expect(replyOf({ answer: { ...allowed, grant_id: 'grt_1' } })).toBe('always');
    expect(replyOf({ answer: { ...allowed, behavior: 'deny' } })).toBe('reject');
    for (const outcome of ['cancelled', 'expired', 'failed'] as const)
      expect(replyOf({ answer: { ...answer, outcome } })).toBe('reject');
    expect(replyOf({})).toBe('reject');
  });
});
