// Forms over the API: what is shown, what may be posted while one waits, what the next run receives, and which message
// wins when several arrive at once.
// Covers: src/gateway/form-guard.ts
import { describe, expect, it } from 'vitest';
import type { AskView, ItemView, RunView } from '../../src/core/views.ts';
import type { Problem } from '../../src/server/problem.ts';
import {
  answer as answerQuestion,
  callId,
  eventsOfSession,
  type Fields,
  held,
  newSession,
  ok,
  raiseQuestion,
  refusal,
  showAsk,
  showRun,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { openStream } from '../support/stream.ts';

const server = serverForAll();

const COLOUR = {
  id: 'colour',
  question: 'Which colour?',
  options: [
    { label: 'Red', value: 'r' },
    { label: 'Blue', value: 'b' },
  ],
};
const SIZES = { id: 'sizes', question: 'Which sizes?', multi_select: true, options: [{ label: 'S' }, { label: 'L' }] };
const NOTE = { id: 'note', question: 'Anything else?', required: false };
const QUESTIONS = [COLOUR, SIZES, NOTE];
const GOOD = { colour: 'b', sizes: ['S', 'L'] };

interface Waiting {
  sessionId: string;
  runId: string;
  ask: AskView;
}

async function displayed(session: Fields = {}, run: Fields = {}, ask: Fields = {}): Promise<Waiting> {
  const { session_id: sessionId } = await newSession(server, session);
  const { run_id: runId } = await startRun(server, sessionId, run);
  const fields = { mode: 'form', tool_call_id: 'toolu_1', questions: QUESTIONS, ...ask };
  return { sessionId, runId, ask: await raiseQuestion(server, runId, fields) };
}
const post = (sessionId: string, body: unknown, options = {}) =>
  server.post<RunView>(`/v1/sessions/${sessionId}/messages`, body, options);
const form = (more: Fields = {}) => ({
  interactive_form_answer: {
    type: 'interactive_form_question',
    tool_use_id: 'toolu_1',
    answers: GOOD,
    status: 'answered',
    ...more,
  },
});
const inputOf = (runId: string) => ok(server.get<Fields>(`/v1/runs/${runId}/input`));
const runsOf = async (sessionId: string) => ok(server.get<RunView[]>(`/v1/runs?session_id=${sessionId}`));

describe('a form that is displayed', () => {
  it('shows a form as a block of the thread with the ids of its owner and without raw input', async () => {
    const { sessionId, ask } = await displayed({ task_id: 1 }, { subtask_id: 2 });
    const items = await ok(server.get<ItemView[]>(`/v1/threads/thr_${sessionId}/items`));
    const [block] = items.map((item) => item.metadata?.block as Fields | undefined).filter((b) => b !== undefined);
    expect(items.find((item) => item.metadata?.block)?.metadata?.type).toBe('tool_call');
    const prompt = items.find((item) => item.metadata?.type === 'pending_prompt');
    expect(JSON.stringify(prompt?.content)).toContain('Answer or cancel the form itself');
    const render_payload = {
      type: 'interactive_form_question',
      ask_id: ask.ask_id,
      task_id: 1,
      subtask_id: 2,
      questions: [
        {
          id: 'colour',
          question: 'Which colour?',
          input_type: 'choice',
          options: [
            { label: 'Red', value: 'r', recommended: false },
            { label: 'Blue', value: 'b', recommended: false },
          ],
          multi_select: false,
          required: true,
          default: null,
          placeholder: null,
        },
        {
          id: 'sizes',
          question: 'Which sizes?',
          input_type: 'choice',
          options: [
            { label: 'S', value: 'S', recommended: false },
            { label: 'L', value: 'L', recommended: false },
          ],
          multi_select: true,
          required: true,
          default: null,
          placeholder: null,
        },
        {
          id: 'note',
          question: 'Anything else?',
          input_type: 'text',
          options: null,
          multi_select: false,
          required: false,
          default: null,
          placeholder: null,
        },
      ],
    };
    expect(block).toEqual({
      id: ask.ask_id,
      type: 'tool',
      tool_name: 'interactive_form_question',
      tool_use_id: 'toolu_1',
      status: 'pending',
      render_payload,
    });
    expect(await showAsk(server, ask.ask_id)).toHaveProperty('render_payload', render_payload);
    expect(ask.request).not.toHaveProperty('form');
  });

  it.each([
    ['answered', {}],
    ['cancelled', { status: 'cancelled', answers: {} }],
  ])('shows in the block how the form ended, in pages and on streams: %s', async (status, how) => {
    const { sessionId, ask } = await displayed();
    const path = `/v1/threads/thr_${sessionId}/items`;
    const stream = await openStream(server, path);
    const blocks = async () => {
      const items = await ok(server.get<ItemView[]>(path));
      return items.flatMap((item) => (item.metadata?.block ? [[item.item_id, item.metadata.block]] : []));
    };
    const [[id, block]] = (await blocks()) as [[string, Fields]];
    const seen = () => stream.frames.find((frame) => JSON.parse(frame.data).item_id === id)?.id ?? '';
    await stream.until(() => seen() !== '');
    await ok(post(sessionId, form(how)));
    expect(await blocks()).toEqual([[id, { ...block, status }]]);
    const resumed = await openStream(server, path, { headers: { 'last-event-id': seen() } });
    for (const open of [stream, resumed]) {
      await open.until(() => open.frames.some((frame) => frame.event === 'update'));
      const updates = open.frames.filter((frame) => frame.event === 'update').map((frame) => JSON.parse(frame.data));
      expect(updates).toMatchObject([{ item_id: id, metadata: { block: { id: ask.ask_id, status } } }]);
      open.close();
    }
  });

  it('does not change the block of a form by a post with the same block id', async () => {
    const { sessionId, ask } = await displayed();
    await ok(post(sessionId, form()));
    const block = { id: ask.ask_id, status: 'pending' };
    const said = { content: [{ type: 'text', text: 'look at this' }], metadata: { block } };
    await ok(server.post(`/v1/threads/thr_${sessionId}/items`, said));
    const items = await ok(server.get<ItemView[]>(`/v1/threads/thr_${sessionId}/items`));
    expect(items.map((item) => (item.metadata?.block as Fields)?.status).filter(Boolean)).toEqual([
      'answered',
      'pending',
    ]);
  });

  it('names the session and run where the owner gave no ids, and the reason why the run stopped', async () => {
    const { sessionId, runId, ask } = await displayed();
    expect(ask).toMatchObject({ render_payload: { task_id: sessionId, subtask_id: runId } });
    expect(await showRun(server, runId)).toMatchObject({
      status: 'waiting_for_user_question',
      stop_reason: 'tool_deferred',
    });
  });

  it('displays one form per subtask, whichever of its runs asks', async () => {
    const first = await displayed({}, { subtask_id: 'again' });
    await ok(post(first.sessionId, form()));
    const next = (await runsOf(first.sessionId)).at(-1) as RunView;
    expect(next).not.toHaveProperty('subtask_id');
    await ok(server.post(`/v1/runs/${next.run_id}/complete`));
    const { run_id } = await startRun(server, first.sessionId, { subtask_id: 'again' });
    const body = { kind: 'question', mode: 'form', tool_call_id: callId(), questions: QUESTIONS };
    const told = await refusal(server.post(`/v1/runs/${run_id}/asks`, body), 409, 'ask_state_conflict');
    expect(told.detail).toContain(first.ask.ask_id);
    expect((await showRun(server, run_id)).status).toBe('running');
  });

  it('has no render_payload for asks that are not forms', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    expect(await raiseQuestion(server, run_id)).not.toHaveProperty('render_payload');
    expect(await showRun(server, run_id)).not.toHaveProperty('stop_reason');
  });
});

describe('an answer to a form', () => {
  it('starts the next run with the payload as its whole input', async () => {
    const { sessionId, runId, ask } = await displayed({ task_id: 1 }, { subtask_id: 2 });
    const run = await ok(post(sessionId, form({ answers: { ...GOOD, note: 'soon' } })));
    expect(run).toMatchObject({ kind: 'user_question_resume', status: 'running', resumes_run_id: runId });
    expect((await showRun(server, runId)).status).toBe('completed');
    expect(await inputOf(run.run_id)).toEqual({
      interactive_form_answer: {
        type: 'interactive_form_question',
        tool_use_id: 'toolu_1',
        task_id: 1,
        subtask_id: 2,
        answers: { colour: 'b', sizes: ['S', 'L'], note: 'soon' },
        success: true,
        status: 'answered',
      },
      answer: expect.objectContaining({ ask_id: ask.ask_id, outcome: 'answered' }),
    });
    const { answer, delivery } = await showAsk(server, ask.ask_id);
    expect(answer).toMatchObject({ outcome: 'answered', surface: 'form', answered_by: 'operator' });
    expect(delivery.state).toBe('due');
    await ok(server.post(`/v1/asks/${ask.ask_id}/delivered`));
    expect((await showAsk(server, ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('records the surface that a page names', async () => {
    const { sessionId, ask } = await displayed();
    await ok(post(sessionId, form(), { headers: { 'holdpoint-surface': 'web' } }));
    expect((await showAsk(server, ask.ask_id)).answer?.surface).toBe('web');
  });

  it('carries the message of a cancelled form to the next run', async () => {
    const { sessionId, ask } = await displayed();
    const cancelled = form({ answers: {}, status: 'cancelled', message: 'do something else', success: false });
    const run = await ok(post(sessionId, cancelled));
    expect(await inputOf(run.run_id)).toMatchObject({
      text: 'do something else',
      interactive_form_answer: { status: 'cancelled', success: false, answers: {}, message: 'do something else' },
    });
    expect((await showAsk(server, ask.ask_id)).status).toBe('cancelled');
  });

  it.each<[string, Fields, number, Problem['code']]>([
    ['of another type', { type: 'other' }, 400, 'invalid_interactive_form_answer'],
    ['without a type', { type: undefined }, 400, 'invalid_interactive_form_answer'],
    ['without its tool', { tool_use_id: undefined }, 400, 'interactive_form_tool_required'],
    ['with an empty tool', { tool_use_id: '' }, 400, 'interactive_form_tool_required'],
    ['with a number for a tool', { tool_use_id: 1 }, 400, 'interactive_form_tool_required'],
    ['for another tool', { tool_use_id: 'toolu_2' }, 400, 'interactive_form_tool_mismatch'],
    ['for another task', { task_id: 'other' }, 400, 'interactive_form_tool_mismatch'],
    ['for another subtask', { subtask_id: 7 }, 400, 'interactive_form_tool_mismatch'],
    ['with values and a cancellation', { status: 'cancelled' }, 400, 'invalid_interactive_form_answer'],
    ['that contradicts itself', { success: false }, 400, 'invalid_interactive_form_answer'],
    ['with a number for a value', { answers: { ...GOOD, note: 1 } }, 400, 'invalid_interactive_form_answer'],
    ['with nothing', { answers: {} }, 400, 'question_answer_missing'],
    ['with a blank', { answers: { ...GOOD, colour: ' ' } }, 400, 'question_answer_empty'],
    ['with two for one', { answers: { ...GOOD, colour: ['r', 'b'] } }, 400, 'question_single_select_violation'],
    ['with one twice', { answers: { ...GOOD, sizes: ['S', 'S'] } }, 400, 'question_duplicate_option'],
    ['to what was not asked', { answers: { ...GOOD, more: 'x' } }, 400, 'question_unknown_answer'],
    ['with another status', { status: 'maybe' }, 400, 'invalid_request'],
    ['with an unknown field', { sure: true }, 400, 'invalid_request'],
  ])('refuses an answer %s and changes nothing', async (_, more, status, code) => {
    const { sessionId, ask } = await displayed();
    const before = await eventsOfSession(server, sessionId);
    await refusal(post(sessionId, form(more)), status, code);
    expect(await eventsOfSession(server, sessionId)).toEqual(before);
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  });

  it('refuses free text where only options are allowed', async () => {
    const { sessionId } = await displayed({}, {}, { questions: [{ ...COLOUR, allow_other: false }] });
    await refusal(post(sessionId, form({ answers: { colour: 'green' } })), 400, 'question_option_not_found');
  });

  it('refuses an answer where no form waits, and names the winner', async () => {
    const { session_id } = await newSession(server);
    await refusal(post(session_id, form()), 409, 'interactive_form_not_pending');
    const { sessionId } = await displayed();
    await ok(post(sessionId, form()));
    for (const other of [
      { answers: { ...GOOD, colour: 'r' } },
      { status: 'cancelled', answers: {} },
      { message: 'so' },
    ]) {
      const late = await refusal(post(sessionId, form(other)), 409, 'interactive_form_not_pending');
      expect(late.winner).toMatchObject({ answered_by: 'operator', surface: 'form', outcome: 'answered' });
    }
  });

  it('refuses the same answer a second time unless it has the same idempotency key', async () => {
    const { sessionId } = await displayed();
    const keyed = { ...form(), idempotency_key: 'once' };
    const first = await ok(post(sessionId, keyed));
    const before = await eventsOfSession(server, sessionId);
    expect(await ok(post(sessionId, keyed))).toMatchObject({ run_id: first.run_id });
    const late = await refusal(post(sessionId, form()), 409, 'interactive_form_not_pending');
    expect(late.winner).toMatchObject({ answered_by: 'operator', outcome: 'answered' });
    expect(await eventsOfSession(server, sessionId)).toEqual(before);
  });

  it('cancels a form once', async () => {
    const { sessionId } = await displayed();
    const cancelled = form({ answers: {}, status: 'cancelled', message: 'no' });
    await ok(post(sessionId, cancelled));
    const late = await refusal(post(sessionId, cancelled), 409, 'interactive_form_not_pending');
    expect(late.winner).toMatchObject({ outcome: 'cancelled' });
  });

  it('refuses an answer after the deadline', async () => {
    const { sessionId } = await displayed({}, {}, { expires_after_ms: 60_000 });
    server.advance(60_001);
    const codes = ['question_expired', 'interactive_form_not_pending'];
    const { status, body } = await post(sessionId, form());
    expect(status).toBe(409);
    expect(codes).toContain((body as unknown as Problem).code);
    await ok(post(sessionId, { text: 'go on without it' }));
  });

  it('refuses an answer of callers that are not operators', async () => {
    const { sessionId } = await displayed();
    for (const [scope, session] of [['agent', sessionId], ['worker'], ['viewer']] as const) {
      const { token } = await server.makeToken(scope, session);
      await refusal(post(sessionId, form(), { token }), 403, 'scope_forbidden');
    }
  });
});

describe('a session whose form waits', () => {
  it('refuses text by every route, and says what to do', async () => {
    const { sessionId, ask } = await displayed();
    const doors: [string, unknown][] = [
      [`/v1/sessions/${sessionId}/messages`, { text: 'hello' }],
      [`/v1/sessions/${sessionId}/runs`, { input: { text: 'hello' } }],
    ];
    for (const [path, body] of doors) {
      const told = await refusal(server.post(path, body), 409, 'pending_interactive_form');
      expect(told).toMatchObject({ ask_id: ask.ask_id, tool_use_id: 'toolu_1' });
      expect(told.detail).toContain('interactive_form_answer');
    }
    expect(await runsOf(sessionId)).toHaveLength(1);
    await ok(post(sessionId, form()));
    await ok(post(sessionId, { text: 'and now this' }));
    const runs = await runsOf(sessionId);
    expect(runs).toHaveLength(3);
    expect(runs.at(-1)).toMatchObject({ status: 'queued', request: { text_preview: 'and now this' } });
    const items = await ok(server.get<ItemView[]>(`/v1/threads/thr_${sessionId}/items`));
    const said = items.filter((item) => item.author.role === 'user').map((item) => item.content);
    expect(said.slice(1)).toEqual([[{ type: 'text', text: 'and now this' }]]);
  });

  it.each([{}, { text: '' }, { text: ' ' }, { text: 'x', ...form() }])('refuses the message %j', async (body) => {
    const { session_id } = await newSession(server);
    await refusal(post(session_id, body), 400, 'invalid_request');
  });
});

describe('concurrent messages', () => {
  it('leave exactly one outcome of an answer, a cancellation and a text', async () => {
    for (let round = 0; round < 5; round++) {
      const { sessionId, runId, ask } = await displayed();
      const bodies = Array.from({ length: 30 }, (_, i) => {
        if (i % 3 === 0) return form({ answers: { ...GOOD, note: `note ${i}` } });
        return i % 3 === 1 ? form({ status: 'cancelled', answers: {}, message: `no ${i}` }) : { text: `words ${i}` };
      });
      const replies = await Promise.all(bodies.map((body) => post(sessionId, body)));
      const won = replies.filter((r, i) => r.status === 202 && !('text' in (bodies[i] as Fields)));
      expect(won).toHaveLength(1);
      for (const [i, reply] of replies.entries()) {
        if (reply.status === 202) continue;
        const isText = 'text' in (bodies[i] as Fields);
        const { code } = reply.body as unknown as Problem;
        expect(code).toBe(isText ? 'pending_interactive_form' : 'interactive_form_not_pending');
      }
      const events = await eventsOfSession(server, sessionId);
      expect(typesOf(events).filter((type) => type === 'ask.claimed')).toHaveLength(1);
      const carrying = (await runsOf(sessionId)).filter((run) => run.resumes_run_id === runId);
      expect(carrying.map((run) => run.run_id)).toEqual([won[0]?.body.run_id]);
      expect(['answered', 'cancelled']).toContain((await showAsk(server, ask.ask_id)).status);
    }
  });

  it('returns the first reply to a repeat under the same idempotency key', async () => {
    const { sessionId } = await displayed();
    const send = () => post(sessionId, form(), { headers: { 'idempotency-key': 'once' } });
    const [first, second] = await Promise.all([send(), send()]);
    expect([first?.status, second?.status]).toEqual([202, 202]);
    expect(second?.text).toBe(first?.text);
  });
});

it('names the winner to a text that comes after the answer, and is input for the next run', async () => {
  const h = await held(server);
  await ok(answerQuestion(server, h));
  const late = await ok(server.post<{ run_id: string }>(`/v1/sessions/${h.sessionId}/messages`, { text: '2' }));
  expect(late).toMatchObject({ winner: { answered_by: 'operator', outcome: 'answered' } });
  expect(late.run_id).not.toBe(h.runId);
});
