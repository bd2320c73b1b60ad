// What a process of Claude Code is started with again: what people decided, and nothing that a run says about itself.
import { describe, expect, it } from 'vitest';
import { callsOver, conversationAgain, modeAgain, rulesAgain } from '../../../src/agents/claude/resume.ts';
import type { AskView } from '../../../src/core/views.ts';

const approval = (request: object, answer: object | undefined, state = 'delivered') =>
  ({ kind: 'approval', request, answer: answer && { outcome: 'answered', ...answer }, delivery: { state } }) as AskView;
const ALLOW = { behavior: 'allow' };
const plan = (answer: object | undefined, state?: string) => approval({ tool_name: 'ExitPlanMode' }, answer, state);

describe('the conversation', () => {
  const own = conversationAgain(undefined, 'ses_1');

  it('has an id of its own for each session, the same on every machine', () => {
    expect(own).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(conversationAgain(own, 'ses_1')).toBe(own);
    expect(conversationAgain(undefined, 'ses_2')).not.toBe(own);
  });

  it.each([['--dangerously-skip-permissions'], ['a name'], [`${own} --model x`], [{ id: own }], ['']])(
    'is not what the run says where that is no id: %j',
    (left) => {
      expect(conversationAgain(left, 'ses_1')).toBe(own);
    },
  );
});

describe('the permission mode', () => {
  it.each([
    ['is the one that was chosen', 'acceptEdits', undefined, [], 'acceptEdits'],
    ['is not opened by what the run says', 'default', 'bypassPermissions', [], 'default'],
    ['is closed by it', 'acceptEdits', 'plan', [], 'plan'],
    ['is not opened by a plan that nobody allowed', 'plan', 'default', [plan(undefined)], 'plan'],
    ['is not opened by a plan that was denied', 'plan', 'default', [plan({ behavior: 'deny' })], 'plan'],
    ['is not opened by an allowed plan that it has not heard of', 'plan', undefined, [plan(ALLOW, 'due')], 'plan'],
    ['is opened by a plan that was allowed', 'plan', 'default', [plan({ behavior: 'deny' }), plan(ALLOW)], 'default'],
    ['is closed again by the next plan', 'plan', 'plan', [plan(ALLOW)], 'plan'],
    ['is its default where none was chosen', undefined, 'acceptEdits', [], 'default'],
    ['goes on to be plan where none was chosen', undefined, 'plan', [], 'plan'],
  ])('%s', (_, chosen, left, asks, expected) => {
    expect(modeAgain(chosen, left, asks)).toBe(expected);
  });
});

describe('the rules of the session', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'touch x *' }];
  const offer = { id: 'session-0', label: 'Do not ask again in this session for Bash(touch x *)', rules };
  const asked = (answer: object, suggestion: object = offer) =>
    approval({ tool_name: 'Bash', suggestions: [suggestion] }, answer);
  const taken = { ...ALLOW, suggestion_ids: ['session-0'] };

  it('are those that were taken, each once', () => {
    expect(
      rulesAgain('default', [asked(taken), asked(taken), asked({ ...taken, suggestion_ids: ['session-1'] })]),
    ).toEqual(['Bash(touch x *)']);
  });

  it.each([
    ['was not taken', asked(ALLOW)],
    ['came with a denial', asked({ ...taken, behavior: 'deny' })],
    ['says something else than it does', asked(taken, { ...offer, rules: [{ toolName: 'Bash' }] })],
    ['has no rules', asked(taken, { id: 'session-0', label: 'always' })],
    ['nobody has answered', approval({ tool_name: 'Bash', suggestions: [offer] }, undefined)],
  ])('leave out what %s', (_, ask) => {
    expect(rulesAgain('default', [ask])).toEqual([]);
  });

  it('are none where it only plans', () => {
    expect(rulesAgain('acceptEdits', [asked(taken)])).toHaveLength(1);
    expect(rulesAgain('plan', [asked(taken)])).toEqual([]);
  });

  it('are written as settings read them', () => {
    const [toolName, ruleContent] = ['Bash', 'echo "(a)" \\n'];
    const label = `Do not ask again in this session for Bash(${ruleContent}), Read`;
    const suggestion = { id: 'session-0', label, rules: [{ toolName, ruleContent }, { toolName: 'Read' }] };
    expect(rulesAgain('default', [asked(taken, suggestion)])).toEqual(['Bash(echo "\\(a\\)" \\\\n)', 'Read']);
  });
});

describe('the calls that are over', () => {
  const held = (run_id: string, tool_call_id: string, mode = 'deferred') => ({ run_id, tool_call_id, mode }) as AskView;
  const over = (...asks: AskView[]) => [...callsOver(asks, 'run_2', 'toolu_form')];

  it('are those that earlier runs were held on, whatever became of them', () => {
    expect(over(held('run_1', 'toolu_a'), held('run_1', 'toolu_b#2'), held('run_0', 'toolu_c', 'form'))).toEqual([
      'toolu_a',
      'toolu_b',
      'toolu_c',
    ]);
  });

  it('are not those of this run, nor the form that it answers, nor what no process can have kept', () => {
    const form = held('run_1', 'toolu_form', 'form');
    expect(over(held('run_2', 'toolu_a'), form, held('run_1', 'toolu_b', 'blocking'))).toEqual([]);
  });
});
