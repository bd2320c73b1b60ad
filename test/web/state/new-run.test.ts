// Tests what the form for a new run sends to an agent, by what the agent says it takes.
import { describe, expect, it } from 'vitest';
import type { AgentView } from '../../../src/core/views.ts';
import { agentNote, demoRun, formProblem, newRun, type RunForm } from '../../../web/src/state/new-run.ts';

const agent = (more: Partial<AgentView> = {}): AgentView => ({
  name: 'some',
  title: 'Some agent',
  takes: 'text',
  settings: [],
  is_connectable: false,
  workers: 1,
  labels: [],
  seen_at_ms: 1,
  ...more,
});
const form = (more: Partial<RunForm> = {}): RunForm => ({ agent: 'some', task: 'go', folder: '', chosen: {}, ...more });

describe('a new run', () => {
  it('has the task to the letter, its first line as the title, and the work folder', () => {
    expect(newRun(form({ agent: ' some ', task: ' /go\nnow', folder: ' /srv ' }), agent())).toEqual({
      session: { agent: 'some', title: '/go', work_folder: '/srv' },
      input: { text: ' /go\nnow' },
    });
  });

  it('has the task as a shell command where its agent takes one', () => {
    const { input } = newRun(form({ task: 'ls | wc' }), agent({ takes: 'command' }));
    expect(input).toEqual({ command: ['sh', '-c', 'ls | wc'] });
  });

  it('has the settings that were chosen for its own agent', () => {
    const choices = [
      { value: '', label: '', means: '', input: {} },
      { value: 'plan', label: '', means: '', input: { mode: 'plan' } },
    ];
    const settings = [{ name: 'mode', label: 'Mode', choices }];
    const chosen = { some: { mode: 'plan' } };
    expect(newRun(form({ chosen }), agent({ settings })).input).toEqual({ text: 'go', mode: 'plan' });
    expect(newRun(form({ agent: 'other', chosen }), agent({ settings })).input).toEqual({ text: 'go' });
  });
});

it('offers the demo of the agent that has one', () => {
  const demo = { title: 'Demo', input: { text: 'show it' } };
  expect(demoRun([agent(), agent({ name: 'shown', demo })])).toEqual({
    session: { agent: 'shown', title: 'Demo' },
    input: { text: 'show it' },
  });
  expect(demoRun([agent()])).toBeUndefined();
});

it.each([
  [form(), undefined],
  [form({ agent: ' ' }), /agent/],
  [form({ task: '\n' }), /Describe the task/],
  [form({ agent: 'external' }), /start their own runs/],
  [form({ folder: '~/shop' }), /absolute path/],
  [form({ folder: 'C:\\shop' }), undefined],
])('says why %j cannot be started: %s', (filled, expected) => {
  const problem = formProblem(filled);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem).toMatch(expected);
});

it('notes that no worker hosts an agent, once the agents are known', () => {
  expect(agentNote('other', undefined)).toBe(agentNote('some', [agent()]));
  expect(agentNote('other', [agent()])).toContain('No worker hosts “other” right now');
});
