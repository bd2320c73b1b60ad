// Two hundred clients do the same thing at the same moment over real sockets: one of them succeeds, and all others are told
// the same outcome.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { AskView, RunView } from '../../src/core/views.ts';
import type { Received, Sent } from '../support/http.ts';
import { seeded } from '../support/seeded-random.ts';
import {
  APPROVAL,
  answerOf,
  codes,
  crowdForAll,
  type Person,
  QUESTION,
  statuses,
  type Told,
  winnerOf,
} from './crowd.ts';

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const crowd = crowdForAll();
const random = seeded('race');

describe('two hundred answers to one question', () => {
  it('have one winner, which is named to the other 199 with instant and surface', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'different' });
    const told = await crowd.atOnce<Told>((person) => ({
      path: `/v1/runs/${ask.run_id}/questions`,
      body: answerOf(ask, { freeform_answer: `said ${person.name}` }),
    }));
    const winner = await onlyWinner(told, ask, 'question_state_conflict');
    const { answer, status } = await askOf(ask);
    expect(status).toBe('answered');
    expect(answer?.answers).toEqual([{ question_id: 'which', freeform_answer: `said ${winner.name}` }]);
    expect(await crowd.eventsOf(ask.run_id, 'user_question_resolved')).toHaveLength(1);
    expect((await runOf(ask)).status).toBe('running');
  });

  it('have one winner over the session-scoped and the run-scoped call at once', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'both doors' });
    const told = await crowd.atOnce<Told>((person, i) => ({
      path: i % 2 === 0 ? `/v1/runs/${ask.run_id}/questions` : `/v1/sessions/${ask.session_id}/questions`,
      body: answerOf(ask, { freeform_answer: `said ${person.name}` }),
    }));
    await onlyWinner(told, ask, 'question_state_conflict');
  });

  it('give all who decided the same the first outcome', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'identical' });
    const body = answerOf(ask, { selected_option_ids: ['b'] });
    const told = await crowd.atOnce<RunView>(() => ({ path: `/v1/runs/${ask.run_id}/questions`, body }));
    expect(statuses(told)).toEqual({ 202: 200 });
    expect(await crowd.eventsOf(ask.run_id, 'ask.claimed')).toHaveLength(1);
  });

  it('get two hundred identical responses under one idempotency key', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'one key' });
    const body = answerOf(ask, { selected_option_ids: ['a'], justification: 'once' });
    const headers = { 'idempotency-key': 'shared' };
    const told = await crowd.atOnce<RunView>(() => ({ path: `/v1/runs/${ask.run_id}/questions`, body, headers }));
    expect(statuses(told)).toEqual({ 202: 200 });
    expect(new Set(told.map((response) => response.text)).size).toBe(1);
    expect(await crowd.eventsOf(ask.run_id, 'ask.claimed')).toHaveLength(1);
    const later = await crowd.call({ path: `/v1/runs/${ask.run_id}/questions`, body, headers });
    expect(later.text).toBe(told[0]?.text);
  });

  it('give one of two hundred different payloads the shared key', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'one key, many payloads' });
    const headers = { 'idempotency-key': 'fought over' };
    const told = await crowd.atOnce<Told>((person) => ({
      path: `/v1/runs/${ask.run_id}/questions`,
      body: answerOf(ask, { freeform_answer: person.name }),
      headers,
    }));
    expect(statuses(told)).toEqual({ 202: 1, 409: 199 });
    expect(codes(told)).toEqual({ idempotency_conflict: 199 });
    const winner = crowd.people[told.findIndex((response) => response.status === 202)];
    expect((await askOf(ask)).answer?.answered_by).toBe(winner?.name);
  });

  it.each(rounds(6))('agree with concurrent cancels on one outcome, round %i', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'cancel' });
    const cancels = someOf(0.5);
    const told = await crowd.atOnce<Told>((person, i) =>
      cancels.has(i)
        ? { path: `/v1/runs/${ask.run_id}/questions/${ask.ask_id}/cancel`, body: { justification: person.name } }
        : { path: `/v1/runs/${ask.run_id}/questions`, body: answerOf(ask, { freeform_answer: person.name }) },
    );
    const winner = await onlyWinner(told, ask, 'question_state_conflict');
    const cancelled = cancels.has(crowd.people.indexOf(winner));
    expect((await askOf(ask)).status).toBe(cancelled ? 'cancelled' : 'answered');
    expect((await runOf(ask)).status).toBe(cancelled ? 'cancelled' : 'running');
  });

  it.each(rounds(6))('agree with the end of its run, whichever came first, round %i', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'run cancel' });
    const cancels = someOf(0.5);
    const told = await crowd.atOnce<Told>((person, i) =>
      cancels.has(i)
        ? { path: `/v1/runs/${ask.run_id}/cancel`, body: { reason: person.name } }
        : { path: `/v1/runs/${ask.run_id}/questions`, body: answerOf(ask, { freeform_answer: person.name }) },
    );
    expect(statuses(told.filter((_, i) => cancels.has(i)))).toEqual({ 200: cancels.size });
    await atMostOneWinner(
      told.filter((_, i) => !cancels.has(i)),
      ask,
    );
    expect((await runOf(ask)).status).toBe('cancelled');
    expect(await crowd.eventsOf(ask.run_id, 'cancelled')).toHaveLength(1);
  });

  it.each(rounds(6))('agree with the end of its session, whichever came first, round %i', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'session end' });
    const ends = someOf(0.3);
    const verb = random.pick(['end', 'interrupt']);
    const told = await crowd.atOnce<Told>((person, i) =>
      ends.has(i)
        ? { path: `/v1/sessions/${ask.session_id}/${verb}`, body: {} }
        : { path: `/v1/sessions/${ask.session_id}/questions`, body: answerOf(ask, { freeform_answer: person.name }) },
    );
    expect(statuses(told.filter((_, i) => ends.has(i)))).toEqual({ 200: ends.size });
    await atMostOneWinner(
      told.filter((_, i) => !ends.has(i)),
      ask,
    );
    expect((await runOf(ask)).status).toBe('interrupted');
    expect(await crowd.eventsOf(ask.run_id, 'interrupted')).toHaveLength(1);
  });
});

describe('a deadline in the middle of two hundred answers', () => {
  it.each(rounds(8))('lets at most one answer win, and only before the deadline, round %i', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'deadline', expires_after_ms: 60 });
    const told = await aroundTheDeadline(ask, (person) => ({
      path: `/v1/runs/${ask.run_id}/questions`,
      body: answerOf(ask, { freeform_answer: person.name }),
    }));
    const answered = await atMostOneWinner(told, ask);
    const { answer, status } = await askOf(ask);
    if (answered) expect(answer?.answered_at_ms).toBeLessThan(ask.expires_at_ms ?? 0);
    else expect(status).toBe('expired');
    expect(Object.keys(codes(told))).toEqual([answered ? 'question_state_conflict' : 'question_expired']);
    expect((await runOf(ask)).status).toBe(answered ? 'running' : 'cancelled');
  });

  it('never turns an approval that was not decided in time into an allow', async () => {
    const ask = await raised({ ...APPROVAL, tool_call_id: 'deadline', expires_after_ms: 1 });
    await vi.waitUntil(() => Date.now() >= (ask.expires_at_ms ?? 0));
    const told = await crowd.atOnce<Told>(() => ({
      path: `/v1/runs/${ask.run_id}/approvals`,
      body: { resolutions: [{ request_id: ask.ask_id, behavior: 'allow' }] },
    }));
    expect(codes(told)).toEqual({ approval_state_conflict: 200 });
    const { status, answer } = await askOf(ask);
    expect([status, answer?.behavior, answer?.answered_by]).toEqual(['expired', 'deny', 'system']);
    expect((await runOf(ask)).status).toBe('running');
    expect(await crowd.eventsOf(ask.run_id, 'ask.claimed')).toHaveLength(1);
  });
});

async function raised(body: object): Promise<AskView> {
  return crowd.raise((await crowd.newRun()).run_id, body);
}

const askOf = (ask: AskView) => crowd.read<AskView>(`/v1/asks/${ask.ask_id}`);
const runOf = (ask: AskView) => crowd.read<RunView>(`/v1/runs/${ask.run_id}`);

/** One response is a success; all others have this code and name that one's sender, in the very same words. */
async function onlyWinner(told: Received<Told>[], ask: AskView, code: string): Promise<Person> {
  const won = told.findIndex((response) => response.status < 300);
  const lost = told.filter((_, i) => i !== won);
  const { answer } = await askOf(ask);
  expect(won).toBeGreaterThanOrEqual(0);
  expect(statuses(lost)).toEqual({ 409: 199 });
  expect(codes(lost)).toEqual({ [code]: 199 });
  expect(new Set(lost.map((response) => JSON.stringify(response.body.winner))).size).toBe(1);
  expect(lost[0]?.body.winner).toEqual(winnerOf(answer));
  const person = crowd.people[won] as Person;
  expect(answer?.answered_by).toBe(person.name);
  expect(await crowd.eventsOf(ask.run_id, 'ask.claimed')).toHaveLength(1);
  return person;
}

/** Everybody else was told about the end that is stored. True when that end is one of these answers. */
async function atMostOneWinner(answers: Received<Told>[], ask: AskView): Promise<boolean> {
  const { answer, status } = await askOf(ask);
  const answered = status === 'answered';
  expect(answers.filter((response) => response.status < 300)).toHaveLength(answered ? 1 : 0);
  for (const response of answers) if (response.status >= 300) expect(response.body.winner).toEqual(winnerOf(answer));
  expect(await crowd.eventsOf(ask.run_id, 'ask.claimed')).toHaveLength(1);
  return answered;
}

/** Requests that leave one after the other, from a moment before the deadline until a moment after it. */
function aroundTheDeadline(ask: AskView, request: (person: Person) => Sent): Promise<Received<Told>[]> {
  const firstAt = (ask.expires_at_ms ?? 0) - random.int(-1, 4);
  return Promise.all(
    crowd.people.map(async (person, i) => {
      await sleep(Math.max(0, firstAt + i / 20 - Date.now()));
      return crowd.call<Told>({ token: person.token, agent: person.agent, ...request(person) });
    }),
  );
}

const rounds = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const someOf = (share: number): Set<number> =>
  new Set(crowd.people.flatMap((_, i) => (random.chance(share) ? [i] : [])));
