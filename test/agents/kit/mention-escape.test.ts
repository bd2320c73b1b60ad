// Words told in a user's name name nothing: `@` begins no word in them, and JSON says the same as before.
import { describe, expect, it } from 'vitest';
import { claudeRuntime } from '../../../src/agents/claude/runtime.ts';
import { promptOf, readSpec } from '../../../src/agents/exec/input.ts';
import { plain } from '../../../src/agents/exec/runtime.ts';
import { escapedJson, escapeMentions } from '../../../src/agents/kit/mention-escape.ts';
import { resumeMessage } from '../../../src/agents/kit/resume-message.ts';
import type { AskView } from '../../../src/core/views.ts';

describe('words told in the user’s name', () => {
  it.each([
    ['@/etc/passwd', '\\@/etc/passwd'],
    ['see @"a b.txt"!', 'see \\@"a b.txt"!'],
    ['first\n@src/a.ts', 'first\n\\@src/a.ts'],
    ['はい。@/etc/passwd', 'はい。\\@/etc/passwd'],
    ['[@agent-x]', '[\\@agent-x]'],
    ['@@/etc/passwd', '\\@\\@/etc/passwd'],
    ['mail lead@example.com, vitest@5', 'mail lead@example.com, vitest@5'],
  ])('%j is told as %j', (text, told) => expect(escapeMentions(text)).toBe(told));

  it('are the same JSON', () => {
    const value = { command: 'cat @/etc/passwd', list: ['@a', ' @"b c"', 'lead@example.com', '\n@d'] };
    const told = escapedJson(value);
    expect(JSON.parse(told)).toEqual(value);
    expect(told).not.toMatch(/(^|[^a-z])@/);
    expect(escapeMentions(told)).toBe(told);
  });

  it('are all that is told of what was asked and answered, by whomever', () => {
    const at = { answered_by: 'lead', surface: 'web', answered_at_ms: 1, outcome: 'answered' } as const;
    const approval = {
      kind: 'approval',
      status: 'answered',
      request: { tool_name: 'Bash', input: { command: 'cat @/p1' }, lineage: ['look at @/p2'] },
      answer: { ...at, behavior: 'allow', updated_input: { command: 'head @/p3' } },
    };
    const denied = { ...approval, answer: { ...at, behavior: 'deny', reason: '@/p4' } };
    const options = [{ id: 'o', label: '@/p6', value: '@/p6' }];
    const question = {
      kind: 'question',
      status: 'answered',
      request: { questions: [{ id: 'q', question: 'Is @/p5 fine?', options }], context: '@/p7' },
      answer: { ...at, answers: [{ question_id: 'q', selected_option_ids: ['o'], freeform_answer: '@/p8' }] },
    };
    const told = resumeMessage([approval, denied, question] as unknown as AskView[], []);
    expect(told).not.toMatch(/(^|\s)@/);
    for (const [n, sign] of Object.entries(['\\u0040', '\\@', '\\u0040', '\\@', '\\@', '\\@', '\\@', '\\@']))
      expect(told).toContain(`${sign}/p${Number(n) + 1}`);
  });

  it('are what a template of Claude Code has from an earlier dispatch; other words, and other programs’, stay as they are', () => {
    const given = { command: ['x'], data: { about: '@README.md' }, answer: '@/p1', partial_state: { at: '@/p2' } };
    const told = (prompt_template: string, tell: typeof claudeRuntime.tell) =>
      promptOf(readSpec({ ...given, prompt_template }), tell);
    const template = '{{about}} {{answer}} {{partial_state.at}} {{partial_state}}';
    expect(told(template, claudeRuntime.tell)).toBe('@README.md \\@/p1 \\@/p2 {"at":"\\u0040/p2"}');
    expect(told('{{input}}', claudeRuntime.tell)).not.toContain('@');
    expect(told(template, plain.tell)).toBe('@README.md @/p1 @/p2 {"at":"@/p2"}');
  });
});
