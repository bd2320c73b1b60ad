// Which signs of risk an action has: a corpus of commands and tool calls, and what each sign says.
// Covers: src/core/risk/
import { describe, expect, it } from 'vitest';
import { assessRisk } from '../../src/core/risk.ts';
import corpus from './risk-corpus.json' with { type: 'json' };

const signsOf = (tool_name: string, input: Record<string, unknown>, work_folder?: string) =>
  assessRisk({ action: { tool_name, input }, work_folder });
const kinds = (tool: string, input: Record<string, unknown>) =>
  signsOf(tool, input, corpus.folder)
    .map(({ risk }) => risk)
    .join(' ');

describe('assessRisk', () => {
  it.each(corpus.commands as [string, string][])('finds the signs %j in %j', (signs, command) => {
    expect(kinds('Bash', { command, description: 'rm -rf / on production' })).toBe(signs);
  });

  it.each(corpus.actions as unknown as [string, string, Record<string, unknown>][])(
    'finds the signs %j in %s %j',
    (signs, tool, input) => {
      expect(kinds(tool, input)).toBe(signs);
    },
  );

  it('says what it found, once for each kind', () => {
    expect(signsOf('Bash', { command: 'rm -rf ../other && rm x; cat /etc/hosts' }, '/srv/shop')).toEqual([
      { risk: 'destructive', why: 'rm deletes files' },
      { risk: 'outside_folder', why: 'names /srv/other' },
    ]);
  });

  it('says nothing is outside where no folder is known', () => {
    expect(signsOf('Read', { file_path: '/etc/passwd' })).toEqual([]);
  });

  it('reads what a diff deletes and where it writes', () => {
    const diff = '--- a/src/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /etc/hosts\n+++ /etc/hosts\n';
    const signs = assessRisk({ action: { tool_name: 'patch', input: {}, diff }, work_folder: '/srv/shop' });
    expect(signs.map(({ risk }) => risk)).toEqual(['destructive', 'outside_folder']);
  });

  it('has the deadline of a question as its only sign', () => {
    expect(assessRisk({ expires_at_ms: 5000 })).toEqual([
      { risk: 'deadline', why: 'expires without an answer', at_ms: 5000 },
    ]);
  });

  it('keeps what it says short', () => {
    const [sign] = signsOf('Read', { file_path: `/etc/${'x'.repeat(5000)}` }, '/srv/shop');
    expect(sign?.why.length).toBeLessThanOrEqual(160);
  });
});
