// Tests what the headline of an approval says.
// Covers: web/src/text/action-kind.ts
import { expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { headlineOf } from '../../../web/src/text/headline.ts';

const said = (tool_name: string, input: Record<string, unknown>, more: Partial<ApprovalRequest> = {}) => {
  const { verb, object, icon } = headlineOf({ tool_name, input, reason: '', ...more } as ApprovalRequest);
  return [icon, verb, object];
};

it('says what is done, and to what', () => {
  expect(said('Bash', { command: 'ls' })).toEqual(['command', 'Run command', '']);
  expect(said('mcp__remote__run', { command: 'ls' })).toEqual(['command', 'mcp__remote__run', '']);
  expect(said('Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' })).toEqual(['edit', 'Edit', 'a.ts']);
  expect(said('Write', { file_path: 'a.ts', content: 'b' })).toEqual(['edit', 'Write', 'a.ts']);
  expect(said('Read', { file_path: '/etc/hosts' })).toEqual(['read', 'Read', '/etc/hosts']);
  expect(said('WebFetch', { url: 'https://x', prompt: 'y' })).toEqual(['web', 'WebFetch', 'https://x']);
  expect(said('create_issue', { title: 'x' })).toEqual(['tool', 'create_issue', '']);
  expect(said('ExitPlanMode', {}, { reason: '# Plan' })[1]).toBe('Approve this plan?');
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n';
  expect(said('apply_patch', {}, { diff })).toEqual(['edit', 'Change 2 files', '']);
});

it('leaves what is long to the fields below', () => {
  expect(said('Read', { file_path: 'x'.repeat(300) })).toEqual(['read', 'Read', '']);
});
