// What an ACP agent asks permission for becomes an ask that shows all of it, and an option is chosen by its kind.
// Covers: src/agents/acp/quirks.ts
import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import {
  allowance,
  answersTo,
  approvalSpec,
  CANCELLED,
  isAllowance,
  type PermissionReply,
  questionSpec,
  rejection,
} from '../../../src/agents/acp/asks.ts';
import { quirksOf } from '../../../src/agents/acp/quirks.ts';
import type { AskOutcome } from '../../../src/client/outcome.ts';

const option = (optionId: string, kind: PermissionOption['kind']): PermissionOption => ({
  optionId,
  name: `name of ${optionId}`,
  kind,
});
/** As Qwen Code offers them. */
const OPTIONS = [
  option('project', 'allow_always'),
  option('user', 'allow_always'),
  option('proceed', 'allow_once'),
  option('stop', 'reject_once'),
];
const request = (toolCall: object, options = OPTIONS) =>
  ({ sessionId: 's', toolCall: { toolCallId: 'call_1', ...toolCall }, options }) as RequestPermissionRequest;
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

describe('a permission request of an ACP agent', () => {
  it('for a command shows the command, its other arguments and what it is for', () => {
    const rawInput = { command: 'make', description: 'Builds', is_background: false };
    const spec = approvalSpec(request({ kind: 'execute', title: 'make (Builds)', rawInput }));
    expect(spec).toMatchObject({
      id: 'call_1',
      tool_name: 'Bash',
      input: { command: 'make', is_background: false },
      reason: 'Builds',
      suggestions: [
        { id: 'project', label: 'name of project' },
        { id: 'user', label: 'name of user' },
      ],
    });
    expect(spec.editable).toBeUndefined();
  });

  it('for a command in words shows the line that a shell would run', () => {
    const rawInput = { command: ['bash', '-lc', 'rm -rf "a b"'] };
    expect(approvalSpec(request({ kind: 'execute', rawInput })).input).toEqual({ command: 'rm -rf "a b"' });
  });

  it('without its input is shown by its title, and is not taken for a command', () => {
    const spec = approvalSpec(request({ kind: 'execute', title: 'touch a.txt [in /srv]' }));
    expect(spec).toMatchObject({ tool_name: 'execute', input: { title: 'touch a.txt [in /srv]' }, editable: false });
  });

  it('of an agent that has the command as its title shows that command', () => {
    const asked = request({ kind: 'execute', title: 'touch a.txt' });
    expect(approvalSpec(asked, quirksOf('gemini-cli'))).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'touch a.txt' },
    });
    const fetched = request({ kind: 'fetch', title: 'touch a.txt' });
    expect(approvalSpec(fetched, quirksOf('gemini-cli')).tool_name).toBe('fetch');
  });

  it('for a file change shows the path and the difference', () => {
    const content = [{ type: 'diff', path: '/srv/a.txt', oldText: 'one\n', newText: 'two\n' }];
    const spec = approvalSpec(request({ kind: 'edit', title: 'Edit a.txt', content }));
    expect(spec).toMatchObject({ tool_name: 'Edit', input: { file_path: '/srv/a.txt' }, editable: false });
    expect(spec.diff).toContain('-one\n+two\n');
  });

  it('for several file changes names each file once', () => {
    const content = [
      { type: 'diff' as const, path: '/srv/a.txt', oldText: 'one', newText: 'two' },
      { type: 'diff' as const, path: '/srv/b.txt', oldText: null, newText: 'new' },
      { type: 'diff' as const, path: '/srv/a.txt', oldText: 'three', newText: 'four' },
    ];
    expect(approvalSpec(request({ kind: 'edit', title: 'Edit', content })).input).toMatchObject({
      files: [
        { path: '/srv/a.txt', change: 'update' },
        { path: '/srv/b.txt', change: 'add' },
      ],
    });
  });

  it('shows every text, place and argument of any other call', () => {
    const spec = approvalSpec(
      request({
        kind: 'fetch',
        name: 'mcp__docs__get',
        title: 'Get',
        rawInput: { url: 'https://example.com', title: 'its own' },
        locations: [{ path: '/srv/b' }],
        content: [{ type: 'content', content: { type: 'text', text: 'reads a page' } }],
      }),
    );
    expect(spec).toMatchObject({
      tool_name: 'mcp__docs__get',
      input: {
        title: 'Get',
        url: 'https://example.com',
        locations: ['/srv/b'],
        details: 'reads a page',
        raw_input: { title: 'its own' },
      },
    });
    expect(approvalSpec(request({ kind: 'execute', rawInput: 'rm -rf /' })).input).toMatchObject({
      raw_input: 'rm -rf /',
    });
  });

  it('names the file that the agent says it changes, not one that the model says', () => {
    const content = [{ type: 'diff' as const, path: '/etc/passwd', oldText: 'one\n', newText: 'two\n' }];
    const rawInput = { file_path: '/srv/a.txt', title: 'Edit a.txt' };
    const { input } = approvalSpec(request({ kind: 'edit', title: 'Edit passwd', content, rawInput }));
    expect(input).toMatchObject({ file_path: '/etc/passwd', title: 'Edit passwd', raw_input: rawInput });
  });

  it('is allowed with the option that allows once, wherever it stands', () => {
    expect(allowance(OPTIONS, [])).toEqual(selected('proceed'));
  });

  it('is allowed for good only with a suggestion that the person took', () => {
    expect(allowance(OPTIONS, ['user'])).toEqual(selected('user'));
    expect(allowance([option('always', 'allow_always'), option('no', 'reject_once')], [])).toBeUndefined();
    expect(allowance(OPTIONS, ['stop', 'unknown'])).toEqual(selected('proceed'));
  });

  it('is not allowed by a guess: with an unknown kind, several that allow once, or an id that another option has', () => {
    const unknown = option('yes', 'allow_everything' as PermissionOption['kind']);
    expect([allowance([unknown], ['yes']), rejection([unknown])]).toEqual([undefined, CANCELLED]);
    const two = [option('here', 'allow_once'), option('on the host', 'allow_once'), option('no', 'reject_once')];
    expect(allowance(two, [])).toBeUndefined();
    expect(allowance(two, ['on the host'])).toEqual(selected('on the host'));
    expect(approvalSpec(request({}, two)).suggestions).toHaveLength(2);
    for (const kind of ['allow_always', 'allow_once'] as const) {
      const shared = [option('x', 'allow_once'), option('x', 'reject_once'), option('x', kind)];
      expect([allowance(shared, []), allowance(shared, ['x']), rejection(shared)]).toEqual([
        undefined,
        undefined,
        CANCELLED,
      ]);
      expect(isAllowance(shared, selected('x') as PermissionReply)).toBe(false);
    }
  });

  it('is rejected once where that is offered, otherwise for good, otherwise cancelled', () => {
    expect(rejection(OPTIONS)).toEqual(selected('stop'));
    expect(rejection([option('never', 'reject_always'), option('no', 'reject_once')])).toEqual(selected('no'));
    expect(rejection([option('yes', 'allow_once'), option('never', 'reject_always')])).toEqual(selected('never'));
    expect(rejection([option('yes', 'allow_once')])).toEqual({ outcome: { outcome: 'cancelled' } });
  });
});

describe('questions that are asked as a permission', () => {
  const questions = [
    { question: 'Which?', header: 'h', options: [{ label: 'A' }, { label: 'B' }], multiSelect: true },
    { question: 'Why?', options: [] },
  ];
  const asked = request({ kind: 'think', title: 'Ask user 2 questions', rawInput: { questions } });

  it('become a question set', () => {
    expect(questionSpec(asked)).toMatchObject({
      id: 'call_1',
      questions: [
        { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multi_select: true },
        { question: 'Why?' },
      ],
    });
  });

  it('are answered beside the outcome, and a skipped one says so', () => {
    const answers = [{ question_id: 'question-1', labels: ['A', 'B'], text: undefined }];
    const outcome = { status: 'answered', answers } as unknown as AskOutcome;
    expect(answersTo(asked, { questions }, outcome)).toEqual({
      ...selected('proceed'),
      answers: { 0: 'A; B', 1: '(skipped)' },
    });
  });

  it('have no reply that submits them when the person declined', () => {
    expect(answersTo(asked, { questions }, { status: 'declined' } as unknown as AskOutcome)).toBeUndefined();
  });

  it('are nothing but a permission where the call has no questions', () => {
    expect(questionSpec(request({ kind: 'think', rawInput: { thought: 'hm' } }))).toBeUndefined();
    expect(questionSpec(request({ kind: 'execute', rawInput: { questions } }))).toBeUndefined();
  });
});
