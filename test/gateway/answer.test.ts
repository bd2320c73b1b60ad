// One answer wins. A second identical answer gets the first outcome, a different one is refused with the winner.
import { describe, expect, it } from 'vitest';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  clarify,
  decide,
  declined,
  deny,
  eventsOfRun,
  family,
  type Held,
  held,
  NOTES,
  ok,
  picks,
  REGIONS,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  showSession,
  typesOf,
} from '../support/api-calls.ts';
import { operatorForAll, serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const mate = operatorForAll(server, 'mate');

const claims = async (h: Held) => typesOf(await eventsOfRun(server, h.runId)).filter((type) => type === 'ask.claimed');

describe('an identical second answer', () => {
  it('gets the first outcome on the run-scoped and on the session-scoped call', async () => {
    const h = await held(server);
    const first = await ok(answer(server, h));
    const again = await answer(server, h, picks('openai'), mate);
    expect(again).toMatchObject({ status: 202, body: first });
    const session = await ok(
      server.post<SessionView>(`/v1/sessions/${h.sessionId}/questions`, resolution(h.ask.ask_id)),
    );
    expect(session).toEqual(await showSession(server, h.sessionId));
    expect(await claims(h)).toHaveLength(1);
    expect((await showAsk(server, h.ask.ask_id)).answer?.answered_by).toBe('operator');
  });

  it('gets the first outcome whatever the order of its answers and options, and with declined: false spelled out or not', async () => {
    const h = await held(server, { questions: [REGIONS, NOTES] });
    const path = `/v1/runs/${h.runId}/questions`;
    const regions = { question_id: 'regions', selected_option_ids: ['eu', 'as'] };
    const notes = { question_id: 'notes', freeform_answer: 'go' };
    await ok(server.post(path, resolution(h.ask.ask_id, [regions, notes])));
    const turned = [notes, { question_id: 'regions', selected_option_ids: ['as', 'eu'] }];
    await ok(server.post(path, resolution(h.ask.ask_id, turned, { declined: false })));
    expect(await claims(h)).toHaveLength(1);
  });

  it('gets the first outcome after the run went on, and after it ended', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    await ok(server.post(`/v1/runs/${h.runId}/complete`));
    expect(await ok(answer(server, h))).toMatchObject({ run_id: h.runId, status: 'completed' });
    expect(await claims(h)).toHaveLength(1);
  });

  it('gets the first outcome when both decline', async () => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/questions`;
    await ok(server.post(path, declined(h.ask.ask_id, 'no')));
    await ok(server.post(path, declined(h.ask.ask_id, 'no')));
    expect(await claims(h)).toHaveLength(1);
  });

  it('gets the first outcome for an approval and for a clarification', async () => {
    const h = await held(server, { kind: 'approval' });
    const decision = allow(h.ask.ask_id, { updated_input: { a: 1, b: [2] }, justification: 'fine' });
    const first = await ok(decide(server, h.runId, decision));
    const turned = { ...decision, updated_input: { b: [2], a: 1 } };
    expect(await ok(decide(server, h.runId, turned))).toEqual(first);
    expect(await claims(h)).toHaveLength(1);

    const { childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const send = () => server.post<RunView>(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id));
    const completed = await ok(send());
    expect(completed.status).toBe('completed');
    expect(await ok(send())).toEqual(completed);
  });
});

describe('a different second answer', () => {
  const winnerOf = async (h: Held) => {
    const { answer: won } = await showAsk(server, h.ask.ask_id);
    const { answered_at_ms, outcome, behavior } = won ?? {};
    return { answered_by: 'mate', surface: 'cli', answered_at_ms, outcome, ...(behavior && { behavior }) };
  };
  const asMate = () => ({ ...mate, headers: { 'holdpoint-surface': 'cli' } });

  it.each([
    ['another option', (h: Held) => resolution(h.ask.ask_id, picks('local'))],
    [
      'another text beside the same option',
      (h: Held) => resolution(h.ask.ask_id, [{ ...picks('openai')[0], freeform_answer: 'x' }]),
    ],
    ['declined instead', (h: Held) => declined(h.ask.ask_id)],
    [
      'the same with another justification',
      (h: Held) => resolution(h.ask.ask_id, picks('openai'), { justification: 'because' }),
    ],
  ])('is refused with the author, instant and surface of the winning answer: %s', async (_name, body) => {
    const h = await held(server);
    await ok(answer(server, h, picks('openai'), asMate()));
    for (const path of [`/v1/runs/${h.runId}/questions`, `/v1/sessions/${h.sessionId}/questions`]) {
      const problem = await refusal(server.post(path, body(h)), 409, 'question_state_conflict');
      expect(problem.winner).toEqual(await winnerOf(h));
    }
    expect((await showAsk(server, h.ask.ask_id)).answer?.answers).toEqual(picks('openai'));
  });

  it.each([
    ['the other way', (h: Held) => deny(h.ask.ask_id)],
    ['another input', (h: Held) => allow(h.ask.ask_id, { updated_input: { command: 'ls' } })],
    ['another justification', (h: Held) => allow(h.ask.ask_id, { justification: 'x' })],
  ])('is refused with the author, instant and surface of the winning decision: %s', async (_name, second) => {
    const h = await held(server, { kind: 'approval' });
    const path = `/v1/runs/${h.runId}/approvals`;
    await ok(server.post(path, { resolutions: [allow(h.ask.ask_id)] }, asMate()));
    const problem = await refusal(decide(server, h.runId, second(h)), 409, 'approval_state_conflict');
    expect(problem.winner).toEqual(await winnerOf(h));
    expect((await showAsk(server, h.ask.ask_id)).answer?.behavior).toBe('allow');
  });

  it('is refused with question_resolution_conflict for a clarification', async () => {
    const { childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const path = `/v1/runs/${asked.run_id}/questions`;
    await ok(server.post(path, resolution(asked.request_id), asMate()));
    const problem = await refusal(server.post(path, declined(asked.request_id)), 409, 'question_resolution_conflict');
    expect(problem.winner).toMatchObject({ answered_by: 'mate', surface: 'cli', outcome: 'answered' });
  });
});

it('lets exactly one of many concurrent answers win and names it to all others', async () => {
  const h = await held(server, { questions: [NOTES] });
  const texts = Array.from({ length: 50 }, (_, i) => `answer ${i}`);
  const replies = await Promise.all(
    texts.map((text) => answer(server, h, [{ question_id: 'notes', freeform_answer: text }])),
  );
  const won = replies.filter((reply) => reply.status === 202);
  expect(won).toHaveLength(1);
  const { answer: stored } = await showAsk(server, h.ask.ask_id);
  for (const reply of replies.filter((r) => r.status !== 202))
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'question_state_conflict', winner: { answered_at_ms: stored?.answered_at_ms } },
    });
  expect(await claims(h)).toHaveLength(1);
  expect(stored?.answers?.[0]?.freeform_answer).toBe(texts[replies.findIndex((r) => r.status === 202)]);
});

it('tells apart two answers whose concatenated texts are equal', async () => {
  const pairs = [
    [
      ['x', 'y\nz'],
      ['x\ny', 'z'],
    ],
    [
      ['a","b', 'c'],
      ['a', 'b","c'],
    ],
    [
      ['1', '23'],
      ['12', '3'],
    ],
  ] as const;
  for (const [first, second] of pairs) {
    const h = await held(server, {
      questions: [
        { id: 'a', question: 'A?' },
        { id: 'b', question: 'B?' },
      ],
    });
    const texts = ([a, b]: readonly [string, string]) => [
      { question_id: 'a', freeform_answer: a },
      { question_id: 'b', freeform_answer: b },
    ];
    await ok(answer(server, h, texts(first)));
    await refusal(answer(server, h, texts(second)), 409, 'question_state_conflict');
    await ok(answer(server, h, texts(first)));
  }
});

it('tells apart a justification from a reason, and free text from an option of the same text', async () => {
  const h = await held(server, { kind: 'approval' });
  await ok(decide(server, h.runId, allow(h.ask.ask_id, { justification: 'x' })));
  await refusal(decide(server, h.runId, allow(h.ask.ask_id, { reason: 'x' })), 409, 'approval_state_conflict');
  const q = await held(server);
  await ok(answer(server, q, [{ question_id: 'routing', freeform_answer: 'openai' }]));
  await refusal(answer(server, q, picks('openai')), 409, 'question_state_conflict');
});

it.each([
  ['the older first', 0],
  ['the newer first', 1],
])('gives each of two pending questions its own answer, %s', async (_name, first) => {
  const h = await held(server);
  const newer = await raiseQuestion(server, h.runId);
  const ids = [h.ask.ask_id, newer.ask_id];
  const order = first === 0 ? ids : [...ids].reverse();
  const options = ['openai', 'local'];
  for (const [i, id] of order.entries())
    await ok(server.post(`/v1/sessions/${h.sessionId}/questions`, resolution(id, picks(String(options[i])))));
  for (const [i, id] of order.entries())
    expect((await showAsk(server, id)).answer?.answers).toEqual(picks(String(options[i])));
  expect((await showRun(server, h.runId)).status).toBe('running');
});

it('gives a second identical answer its outcome while the first call still waits with settle_ms', async () => {
  const h = await held(server);
  const path = `/v1/runs/${h.runId}/questions`;
  const slow = server.post<RunView>(`${path}?settle_ms=60000`, resolution(h.ask.ask_id));
  await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
  const second = await server.post<RunView>(path, resolution(h.ask.ask_id));
  expect(second).toMatchObject({ status: 202, body: { run_id: h.runId, status: 'running' } });
  await ok(server.post(`/v1/runs/${h.runId}/complete`));
  expect((await ok(slow)).status).toBe('completed');
  expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(1);
});
