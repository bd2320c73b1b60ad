// What OpenCode asks for becomes an ask that shows all of it, and only an explicit allow becomes one.
import { describe, expect, it } from 'vitest';
import { allowance, answersTo, approvalSpec, questionSpec } from '../../../src/agents/opencode/asks.ts';
import { Part, Permission, Question } from '../../../src/agents/opencode/protocol.ts';
import type { AskOutcome } from '../../../src/client/outcome.ts';

const permission = (fields: object) =>
  Permission.parse({ id: 'per_1', sessionID: 'ses_1', tool: { messageID: 'msg_1', callID: 'call_1' }, ...fields });
const call = (tool: string, input: object) =>
  Part.parse({
    id: 'prt_1',
    sessionID: 'ses_1',
    messageID: 'msg_1',
    type: 'tool',
    callID: 'call_1',
    tool,
    state: { status: 'running', input },
  });

describe('a permission of OpenCode', () => {
  it('for a command shows the command, where it runs and what it is for', () => {
    const asked = permission({ permission: 'bash', metadata: { command: 'make' }, always: ['make *'] });
    const spec = approvalSpec(asked, call('bash', { command: 'make', description: 'Builds', workdir: '/elsewhere' }));
    expect(spec).toMatchObject({
      id: 'call_1@per_1',
      tool_name: 'Bash',
      input: { command: 'make', workdir: '/elsewhere' },
      reason: 'Builds',
      suggestions: [{ id: 'always', patterns: ['make *'] }],
    });
    expect(spec.editable).toBeUndefined();
  });

  it('for a file change shows the whole path and the diff, and cannot be changed', () => {
    const metadata = { filepath: '/srv/a.txt', diff: '-one\n+two\n' };
    const spec = approvalSpec(permission({ permission: 'edit', patterns: ['work/a.txt'], metadata }), undefined);
    expect(spec).toMatchObject({ tool_name: 'Edit', input: { file_path: '/srv/a.txt' }, diff: metadata.diff });
    expect(spec.editable).toBe(false);
  });

  it('for a patch shows the whole path of every file that it changes, moved ones with both', () => {
    const file = (filePath: string, type: string, more: object = {}) => ({ filePath, type, patch: '', ...more });
    const patch = (...files: object[]) =>
      approvalSpec(
        permission({ permission: 'edit', metadata: { filepath: 'a.txt, b.txt', diff: '+x', files } }),
        undefined,
      );
    expect(patch(file('/srv/a.txt', 'add'))).toMatchObject({ tool_name: 'Edit', input: { file_path: '/srv/a.txt' } });
    const moved = { movePath: '/srv/c.txt' };
    expect(patch(file('/srv/a.txt', 'delete'), file('/srv/b.txt', 'move', moved)).input).toEqual({
      files: [
        { path: '/srv/a.txt', change: 'delete' },
        { path: '/srv/b.txt', change: 'move', moved_to: '/srv/c.txt' },
      ],
    });
    expect(patch(file('/srv/b.txt', 'move', moved)).input).toMatchObject({ files: [{ moved_to: '/srv/c.txt' }] });
  });

  it('for a tool of an MCP server shows its arguments, which the permission itself lacks', () => {
    const asked = permission({ permission: 'demo_deploy', patterns: ['*'], metadata: {} });
    expect(approvalSpec(asked, call('demo_deploy', { to: 'production' }))).toMatchObject({
      tool_name: 'demo_deploy',
      input: { to: 'production' },
    });
  });

  it('that a tool needs besides its own names the folder, the tool and its arguments', () => {
    const metadata = { filepath: '/etc/hostname', parentDir: '/etc' };
    const asked = permission({ permission: 'external_directory', patterns: ['/etc/*'], metadata });
    expect(approvalSpec(asked, call('read', { filePath: '/etc/hostname' })).input).toEqual({
      patterns: ['/etc/*'],
      filepath: '/etc/hostname',
      parentDir: '/etc',
      tool: 'read',
      tool_input: { filePath: '/etc/hostname' },
    });
  });

  it('is allowed once, unless the person took the suggestion', () => {
    expect(allowance({ suggestion_ids: [] })).toEqual({ reply: 'once' });
    expect(allowance({ suggestion_ids: ['always'] })).toEqual({ reply: 'always' });
  });
});

describe('a question of OpenCode', () => {
  const asked = Question.parse({
    id: 'que_1',
    sessionID: 'ses_1',
    questions: [
      { question: 'Which?', header: 'h', options: [{ label: 'A' }, { label: 'a' }, { label: 'B' }], multiple: true },
      { question: 'Why?', header: 'h', options: [], custom: false },
      { question: 'Where?', header: 'h', options: [{ label: 'Here' }], custom: false },
    ],
  });

  it('keeps its options without duplicates, and lets free text be typed where OpenCode does', () => {
    expect(questionSpec(asked)).toMatchObject({
      id: 'que_1',
      questions: [
        { options: [{ label: 'A' }, { label: 'B' }], multi_select: true, allow_other: true, required: false },
        { question: 'Why?', required: false },
        { options: [{ label: 'Here' }], allow_other: false },
      ],
    });
  });

  it('is answered with labels and text; a skipped one says so', () => {
    const answered = {
      status: 'answered',
      answers: [{ question_id: 'question-1', labels: ['A', 'B'], text: 'and C' }],
    } as unknown as AskOutcome;
    expect(answersTo(asked, answered)).toEqual({ answers: [['A', 'B', 'and C'], ['(skipped)'], ['(skipped)']] });
  });

  it('that was declined tells the model why, in every answer', () => {
    const declined = { status: 'declined', reason: 'declined', justification: 'not now' } as unknown as AskOutcome;
    const { answers } = answersTo(asked, declined);
    expect(answers).toHaveLength(3);
    for (const [answer] of answers) expect(answer).toMatch(/^The person declined to answer: not now\./);
  });
});
