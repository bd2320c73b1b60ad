// Forms through the mock agent on a real worker. Everything the agent is given is recorded: it contains no message that a
// person did not write and no text about waiting.
// Covers: src/agents/mock/run.ts, src/gateway/hand-over.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { mock } from '../../../src/agents/mock/agent.ts';
import type { Step } from '../../../src/agents/mock/input.ts';
import type { AskView } from '../../../src/core/views.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed, WHICH } from '../../support/test-bed.ts';

let server: Server;
let bed: TestBed;
const given: { run: string; input: unknown; due: readonly AskView[] }[] = [];
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const run = (context: AgentContext) => {
    given.push({ run: context.run.run_id, input: context.input, due: context.due });
    return mock.run(context);
  };
  await bed.worker({ agents: [{ ...mock, run }] });
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

const givenTo = (runId: string) => given.filter((g) => g.run === runId);
const first = async (sessionId: string): Promise<AskView> => (await bed.pending(sessionId))[0] as AskView;
interface Answered {
  status: 'answered' | 'cancelled';
  answers?: Record<string, string>;
  message?: string;
}
const answer = (ask: AskView, more: Answered) => ({
  interactive_form_answer: { type: 'interactive_form_question', tool_use_id: ask.tool_call_id, ...more },
});

it('stops the agent, and gives it the answer payload and nothing else', async () => {
  const script: Step[] = [{ do: 'ask', id: 'q', mode: 'form', questions: [WHICH] }, { do: 'complete' }];
  const run = await bed.play(script);
  const ask = await first(run.session_id);
  await bed.until(async () => ((await bed.events(run.session_id, 'run.released')).length > 0 ? true : undefined));
  expect(await bed.api.runs.get(run.run_id)).toMatchObject({ stop_reason: 'tool_deferred' });
  await expect(bed.api.sessions.say(run.session_id, { text: 'hello?' })).rejects.toMatchObject({
    code: 'pending_interactive_form',
  });
  await bed.api.sessions.say(run.session_id, answer(ask, { status: 'answered', answers: { which: 'Bread' } }));
  const next = await bed.carriedOn(run);
  expect(bed.heard(next)).toEqual(['q: answered: Bread']);
  expect(givenTo(run.run_id).map((g) => g.input)).toEqual([{ text: 'play', script }]);
  expect(givenTo(next.run_id)).toEqual([
    {
      run: next.run_id,
      due: [],
      input: {
        interactive_form_answer: {
          type: 'interactive_form_question',
          tool_use_id: 'q',
          task_id: run.session_id,
          subtask_id: run.run_id,
          answers: { which: 'Bread' },
          success: true,
          status: 'answered',
        },
        answer: {
          ask_id: ask.ask_id,
          tool_call_id: 'q',
          outcome: 'answered',
          answers: [{ question_id: 'which', selected_option_ids: ['b'] }],
        },
      },
    },
  ]);
  expect(JSON.stringify(givenTo(next.run_id))).not.toMatch(/pending|waiting|deferred|hello/i);
});

it('gives the agent only the message of the person when the form is cancelled with one', async () => {
  const run = await bed.play([{ do: 'ask', id: 'q', mode: 'form', questions: [WHICH] }, { do: 'complete' }]);
  const ask = await first(run.session_id);
  await bed.api.sessions.say(run.session_id, answer(ask, { status: 'cancelled', message: 'never mind' }));
  const next = await bed.carriedOn(run);
  expect(givenTo(next.run_id)[0]?.input).toMatchObject({
    text: 'never mind',
    interactive_form_answer: { status: 'cancelled', success: false, answers: {}, message: 'never mind' },
  });
  expect(bed.heard(next)).toEqual(['q: cancelled: never mind']);
});

it('keeps the report of a child until the form has ended', async () => {
  const script: Step[] = [
    {
      do: 'subagent',
      id: 'child',
      script: [{ do: 'complete', text: 'found it' }],
      afterwards: [{ do: 'say', text: 'heard of it' }],
    },
    { do: 'ask', id: 'q', mode: 'form', questions: [WHICH] },
    { do: 'complete' },
  ];
  const run = await bed.play(script);
  const ask = await first(run.session_id);
  const child = `${run.run_id}.child`;
  await bed.until(async () => (given.some((g) => g.run !== run.run_id && isChild(g.input)) ? true : undefined));
  const runsOf = async (id: string) => (await bed.api.runs.list({ session_id: id })).items;
  await bed.api.sessions.say(run.session_id, answer(ask, { status: 'answered', answers: { which: 'Apples' } }));
  const reported = await bed.until(async () =>
    (await runsOf(run.session_id)).find((r) => r.outputs.some((o) => o.text === 'heard of it')),
  );
  expect(reported.request.source).toBe('agent');
  expect((await runsOf(child)).map((r) => r.status)).toEqual(['completed']);
});

const isChild = (input: unknown): boolean => JSON.stringify(input).includes('found it');
