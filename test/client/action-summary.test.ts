// The one-line summary of an ask, for every kind of action that agents ask about.
import { describe, expect, it } from 'vitest';
import { actionSummary, isPlan, summaryLine } from '../../src/client/action-summary.ts';
import type { ApprovalRequest } from '../../src/core/views.ts';
import { approval, asked, question } from './asks.ts';

const action = (tool_name: string, input: Record<string, unknown>, reason = ''): ApprovalRequest => ({
  ...(approval(input).request as ApprovalRequest),
  tool_name,
  reason,
});

describe('the summary of an approval', () => {
  it.each([
    ['Bash', { command: 'rm -rf build', timeout: 5 }, 'Bash: rm -rf build'],
    ['Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, 'Edit: a.ts'],
    ['WebFetch', { url: 'https://example.com' }, 'WebFetch: https://example.com'],
    ['apply_patch', { files: [{ path: 'a', change: 'update' }, { change: 1 }, null] }, 'apply_patch: update a'],
    [
      'permissions',
      { permissions: { network: { enabled: true }, fileSystem: { write: ['/srv'] } } },
      'permissions: use the network, write /srv',
    ],
    [
      'apply_patch',
      { files: ['a', 'b', 'c'].map((path) => ({ path, change: 'update' })) },
      'apply_patch: 3 files: update a, update b, update c',
    ],
    ['mcp__github__open', { base: 'main', title: 'Fix it' }, 'mcp__github__open: Fix it · {"base":"main"}'],
    ['mcp__db__query', { sql: 'select 1' }, 'mcp__db__query: {"sql":"select 1"}'],
    ['Bash', { command: '', description: 'x' }, 'Bash: {"command":"","description":"x"}'],
    ['EnterPlanMode', {}, 'EnterPlanMode'],
  ])('of %s %j is: %s', (tool, input, line) => {
    expect(summaryLine(action(tool, input))).toBe(line);
  });

  it('names the files of a difference, where no field of the input says more', () => {
    const of = (name: string, to = name) => `--- ${name}\n+++ ${to}\n@@ -1 +1 @@\n-a\n+b\n`;
    const three = `diff --git a/a.ts b/a.ts\n${of('a/a.ts', 'b/a.ts')}${of('/dev/null', 'b/b.ts')}${of('a/c.ts', '/dev/null')}`;
    const lineOf = (input: object, diff: string) => summaryLine({ ...action('apply_patch', { ...input }), diff });
    expect(lineOf({ patch: three }, three)).toBe('apply_patch: 3 files: update a.ts, add b.ts, delete c.ts');
    expect(lineOf({}, of('a.ts'))).toBe('apply_patch: update a.ts');
    expect(lineOf({ path: 'x.ts' }, three)).toBe('apply_patch: x.ts');
    expect(lineOf({ patch: 'text' }, 'no difference')).toBe('apply_patch: {"patch":"text"}');
  });

  it('marks line breaks, and collapses blanks so that they push nothing out of the line', () => {
    expect(summaryLine(action('Bash', { command: `make${' '.repeat(900)}\n\n \r\n  rm  -rf /\n` }))).toBe(
      'Bash: make␊rm -rf /',
    );
  });

  it('leaves hidden characters in place for the surface to spell out', () => {
    expect(actionSummary(action('Bash', { command: 'ls \u202e\u00a0x\ry' })).text).toBe('ls \u202e\u00a0x\ry');
  });

  it('is truncated between characters', () => {
    const { text } = actionSummary(action('Bash', { command: `${'a'.repeat(399)}😀${'b'.repeat(9000)}` }));
    expect(text).toBe(`${'a'.repeat(399)}…`);
  });

  it('of a tool without input is the reason', () => {
    expect(summaryLine(action('Restart', {}, 'the cache\nis stale'))).toBe('Restart: the cache␊is stale');
  });
});

describe('the summary of a plan', () => {
  const plan = '\n---\n## Move the *tests*\n\n1. mv';

  it('is its first line that says something', () => {
    expect(summaryLine(action('ExitPlanMode', {}, plan))).toBe('Plan: Move the *tests*');
    expect(summaryLine(action('ExitPlanMode', { plan, planFilePath: 'p.md' }, plan))).toBe('Plan: Move the *tests*');
  });

  it('is no summary of an input that names anything else, or of no plan at all', () => {
    expect(isPlan(action('ExitPlanMode', { plan: 'another' }, plan))).toBe(false);
    expect(isPlan(action('ExitPlanMode', { launch: true }, plan))).toBe(false);
    expect(summaryLine(action('ExitPlanMode', {}, ''))).toBe('ExitPlanMode');
  });
});

describe('the summary of a question', () => {
  it('is the first question, and how many more there are', () => {
    expect(summaryLine(question([asked()]).request)).toBe('Where to?');
    expect(summaryLine(question([asked(), asked(), asked()]).request)).toBe('Where to? (+2 more)');
  });

  it('is headed by its header, where that says something', () => {
    expect(actionSummary(question([asked()]).request).heading).toBe('Target');
    expect(actionSummary(question([asked({ header: 'Question 1' })]).request).heading).toBe('Question');
    expect(actionSummary(question([asked(), asked()]).request).heading).toBe('2 questions');
  });
});
