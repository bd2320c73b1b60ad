// What a resumed session is started with follows from what people decided, never from what a run says about itself.
import { describe, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { abandonedCalls, resumedConversation, resumedMode, resumedRules } from '../../../src/agents/claude/resume.ts';
import type { AskView } from '../../../src/core/views.ts';

const approval = (request: object, answer: object | undefined, state = 'delivered') =>
  ({ kind: 'approval', request, answer: answer && { outcome: 'answered', ...answer }, delivery: { state } }) as AskView;
const ALLOW = { behavior: 'allow' };
const plan = (answer: object | undefined, state?: string) => approval({ tool_name: 'ExitPlanMode' }, answer, state);

describe('the resumed conversation', () => {
  const own = resumedConversation(undefined, 'ses_1');

  it('has one id per session, the same on every machine', () => {
    expect(own).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(resumedConversation(own, 'ses_1')).toBe(own);
    expect(resumedConversation(undefined, 'ses_2')).not.toBe(own);
  });

  it.each([['--dangerously-skip-permissions'], ['a name'], [`${own} --model x`], [{ id: own }], ['']])(
    'is not what the run stored if that is no UUID: %j',
    (left) => {
      expect(resumedConversation(left, 'ses_1')).toBe(own);
    },
  );
});

describe('the resumed permission mode', () => {
  it.each([
    ['is the one that was chosen', 'acceptEdits', undefined, [], 'acceptEdits'],
    ['is not loosened by what the run stored', 'default', 'bypassPermissions', [], 'default'],
    ['is tightened to plan by it', 'acceptEdits', 'plan', [], 'plan'],
    ['stays plan while the plan has no answer', 'plan', 'default', [plan(undefined)], 'plan'],
    ['stays plan when the plan was denied', 'plan', 'default', [plan({ behavior: 'deny' })], 'plan'],
    ['stays plan until the allowed plan was delivered', 'plan', undefined, [plan(ALLOW, 'due')], 'plan'],
    ['leaves plan when the plan was allowed', 'plan', 'default', [plan({ behavior: 'deny' }), plan(ALLOW)], 'default'],
    ['is plan again after the next plan started', 'plan', 'plan', [plan(ALLOW)], 'plan'],
    ['is default when none was chosen', undefined, 'acceptEdits', [], 'default'],
    ['stays plan when none was chosen', undefined, 'plan', [], 'plan'],
  ])('%s', (_, chosen, left, asks, expected) => {
    expect(resumedMode(chosen, left, asks)).toBe(expected);
  });
});

describe('the resumed rules', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'touch x *' }];
  const offer = { id: 'session-0', label: 'Do not ask again in this session for Bash(touch x *)', rules };
  const asked = (answer: object, suggestion: object = offer) =>
    approval({ tool_name: 'Bash', suggestions: [suggestion] }, answer);
  const taken = { ...ALLOW, suggestion_ids: ['session-0'] };

  it('are those that were accepted, each once', () => {
    expect(
      resumedRules('default', [asked(taken), asked(taken), asked({ ...taken, suggestion_ids: ['session-1'] })]),
    ).toEqual(['Bash(touch x *)']);
  });

  it.each([
    ['was not accepted', asked(ALLOW)],
    ['came with a denial', asked({ ...taken, behavior: 'deny' })],
    ['has a label that does not name its rules', asked(taken, { ...offer, rules: [{ toolName: 'Bash' }] })],
    ['has no rules', asked(taken, { id: 'session-0', label: 'always' })],
    ['has no answer', approval({ tool_name: 'Bash', suggestions: [offer] }, undefined)],
  ])('leave out what %s', (_, ask) => {
    expect(resumedRules('default', [ask])).toEqual([]);
  });

  it('are none in plan mode', () => {
    expect(resumedRules('acceptEdits', [asked(taken)])).toHaveLength(1);
    expect(resumedRules('plan', [asked(taken)])).toEqual([]);
  });

  it('are escaped as settings require', () => {
    const [toolName, ruleContent] = ['Bash', 'echo "(a)" \\n'];
    const label = `Do not ask again in this session for Bash(${ruleContent}), Read`;
    const suggestion = { id: 'session-0', label, rules: [{ toolName, ruleContent }, { toolName: 'Read' }] };
    expect(resumedRules('default', [asked(taken, suggestion)])).toEqual(['Bash(echo "\\(a\\)" \\\\n)', 'Read']);
  });
});

describe('abandoned calls', () => {
  const held = (run_id: string, tool_call_id: string, mode = 'deferred') => ({ run_id, tool_call_id, mode }) as AskView;
  const context = { run: { run_id: 'run_2' }, input: { interactive_form_answer: { tool_use_id: 'toolu_form' } } };
  const over = (...asks: AskView[]) => [...abandonedCalls(asks, context as unknown as AgentContext)];

  it('are those that earlier runs were held on, whatever the answer was', () => {
    expect(over(held('run_1', 'toolu_a'), held('run_1', 'toolu_b#2'), held('run_0', 'toolu_c', 'form'))).toEqual([
      'toolu_a',
      'toolu_b',
      'toolu_c',
    ]);
  });

  it('exclude those of this run, the form that it answers, and blocking asks', () => {
    const form = held('run_1', 'toolu_form', 'form');
    expect(over(held('run_2', 'toolu_a'), form, held('run_1', 'toolu_b', 'blocking'))).toEqual([]);
  });
});
