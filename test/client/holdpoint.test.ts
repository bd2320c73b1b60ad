// The public entry: `ask` and `approve` as a program calls them. Every end has its own status, no silence is an approval, and
// the same id is the same ask.
// Covers: src/client/asking.ts, src/client/local.ts, src/client/read-outcome.ts, src/client/outcome.ts, src/client/spec.ts, src/client/work.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect, type Holdpoint, HoldpointProblem } from '../../src/client/holdpoint.ts';
import type { AskView } from '../../src/core/views.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
let url: string;
let hp: Holdpoint;
beforeAll(async () => {
  url = await server.url();
  hp = connect({ url, token: server.token });
});
afterAll(() => hp.close());

const shown = async (toolCallId: string): Promise<AskView> => {
  for (;;) {
    const { items } = await hp.api.asks.list({ limit: 500 });
    const found = items.find((a) => a.tool_call_id === toolCallId);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const answer = (ask: AskView, given: object) =>
  hp.api.questions.answerRun(ask.run_id, {
    resolution: { request_id: ask.ask_id, answers: [{ question_id: 'question-1', ...given }] },
  });
const decide = (
  ask: AskView,
  decision: { behavior: 'allow' | 'deny'; updated_input?: Record<string, unknown>; reason?: string },
) => hp.api.approvals.decideRun(ask.run_id, { resolutions: [{ request_id: ask.ask_id, ...decision }] });
const problem = async (call: Promise<unknown>) => {
  const error = await call.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(HoldpointProblem);
  return error as HoldpointProblem;
};

describe('ask', () => {
  it('returns labels, values and ids of chosen options', async () => {
    const waiting = hp.ask({
      id: 'a1',
      question: 'Which?',
      options: ['Apples', { label: 'Bread', value: 'bread' }],
      multi_select: true,
    });
    await answer(await shown('a1'), { selected_option_ids: ['option-2', 'option-1'], freeform_answer: 'and salt' });
    expect(await waiting).toMatchObject({
      status: 'answered',
      answer: 'Bread, Apples (and salt)',
      answers: [{ labels: ['Bread', 'Apples'], values: ['bread', 'Apples'], text: 'and salt' }],
      skipped: [],
      answered_by: 'operator',
    });
  });

  it('returns the answers to several questions, one of them skipped', async () => {
    const questions = [{ question: 'Why?' }, { question: 'More?', required: false }];
    const waiting = hp.ask({ id: 'a2', questions });
    await answer(await shown('a2'), { freeform_answer: '0' });
    expect(await waiting).toMatchObject({ status: 'answered', answer: '0', skipped: ['question-2'] });
  });

  it('distinguishes declined, cancelled and expired, none of which is an answer', async () => {
    const declined = hp.ask({ id: 'd', question: 'A?' });
    const one = await shown('d');
    await hp.api.questions.answerRun(one.run_id, {
      resolution: { request_id: one.ask_id, declined: true, justification: 'no idea' },
    });
    expect(await declined).toMatchObject({ status: 'declined', reason: 'no idea', justification: 'no idea' });

    const cancelled = hp.ask({ id: 'c', question: 'B?' });
    const two = await shown('c');
    await hp.api.questions.cancel(two.run_id, two.ask_id);
    expect(await cancelled).toMatchObject({ status: 'cancelled' });

    expect(await hp.ask({ id: 'e', question: 'C?', expires_after_ms: 100 })).toMatchObject({ status: 'expired' });
  });

  it('returns failed when its run fails', async () => {
    const waiting = hp.ask({ id: 'f', question: 'A?' });
    const ask = await shown('f');
    await hp.api.runs.fail(ask.run_id, { error: 'gave up' });
    expect(await waiting).toMatchObject({ status: 'failed', reason: 'gave up' });
  });

  it('leaves no session, run or ask open', async () => {
    const waiting = hp.ask({ id: 'tidy', question: 'A?' });
    const ask = await shown('tidy');
    await answer(ask, { freeform_answer: 'x' });
    await waiting;
    expect((await hp.api.runs.get(ask.run_id)).status).toBe('completed');
    expect((await hp.api.sessions.get(ask.session_id)).status).toBe('ended');
    expect((await hp.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('rejects an ask that the server refuses with its reason, and leaves nothing open', async () => {
    const before = (await hp.api.sessions.list({ status: 'active', limit: 500 })).items.length;
    const error = await problem(hp.ask({ question: 'A?', options: ['same', 'Same'] }));
    expect(error).toMatchObject({ status: 400, code: 'invalid_ask' });
    expect((await hp.api.sessions.list({ status: 'active', limit: 500 })).items).toHaveLength(before);
  });

  it('returns a secret to the program, also with the token of an operator, and to no other caller', async () => {
    const waiting = hp.ask({ id: 's', question: 'Token?', secret: true });
    await answer(await shown('s'), { freeform_answer: 'hunter2' });
    expect(await waiting).toMatchObject({ status: 'answered', answer: 'hunter2' });
    const { items } = await hp.api.events.list({ limit: 500 });
    expect(JSON.stringify(items)).not.toContain('hunter2');
    expect(
      (await hp.api.tokens.list()).items.filter((t) => t.scope === 'agent' && t.revoked_at_ms === undefined),
    ).toEqual([]);
  });
});

describe('an ask with the same id', () => {
  it('is the same ask with the same answer, before and after its end', async () => {
    const spec = { id: 'again', question: 'Once?' };
    const first = hp.ask(spec);
    const ask = await shown('again');
    const other = connect({ url, token: server.token });
    const second = other.ask(spec);
    await expect.poll(() => other.parked).toBe(1);
    await answer(ask, { freeform_answer: 'once' });
    const outcomes = [await first, await second, await hp.ask(spec)];
    expect(outcomes.map((o) => o.ask_id)).toEqual([ask.ask_id, ask.ask_id, ask.ask_id]);
    expect(outcomes.map((o) => o.status === 'answered' && o.answer)).toEqual(['once', 'once', 'once']);
    const { items } = await hp.api.events.ofSession(ask.session_id);
    expect(items.filter((e) => e.type === 'ask.raised')).toHaveLength(1);
    expect(items.filter((e) => e.type === 'ask.delivered')).toHaveLength(1);
  });

  it('is one ask when twenty programs raise it at once', async () => {
    const programs = Array.from({ length: 20 }, () => connect({ url, token: server.token }));
    const waiting = programs.map((p) => p.ask({ id: 'twins', question: 'Who?' }));
    const ask = await shown('twins');
    await answer(ask, { freeform_answer: 'us' });
    expect(new Set((await Promise.all(waiting)).map((o) => o.ask_id))).toEqual(new Set([ask.ask_id]));
  });

  it('is refused with another question', async () => {
    const waiting = hp.ask({ id: 'mine', question: 'This?' });
    const ask = await shown('mine');
    expect((await problem(hp.ask({ id: 'mine', question: 'That?' }))).code).toBe('ask_identity_conflict');
    await answer(ask, { freeform_answer: 'x' });
    await waiting;
  });

  it('accepts any text as its id', async () => {
    const id = 'päivää / "x" ✓';
    const waiting = hp.ask({ id, question: 'A?' });
    await answer(await shown(id), { freeform_answer: 'yes' });
    expect(await waiting).toMatchObject({ answer: 'yes' });
    expect(await hp.ask({ id, question: 'A?' })).toMatchObject({ answer: 'yes' });
  });
});

describe('approve', () => {
  const bash = (id: string) => ({ id, tool_name: 'Bash', input: { command: 'make' }, work_folder: '/srv/app' });

  it('returns allowed with its own input', async () => {
    const waiting = hp.approve(bash('ok'));
    await decide(await shown('ok'), { behavior: 'allow' });
    expect(await waiting).toMatchObject({
      allowed: true,
      status: 'answered',
      input: { command: 'make' },
      edited: false,
    });
  });

  it('returns allowed with the input that the person updated, and that it was edited', async () => {
    const waiting = hp.approve(bash('edited'));
    await decide(await shown('edited'), { behavior: 'allow', updated_input: { command: 'make -n' } });
    expect(await waiting).toMatchObject({ allowed: true, input: { command: 'make -n' }, edited: true });
  });

  it('returns denied with the reason', async () => {
    const waiting = hp.approve(bash('no'));
    await decide(await shown('no'), { behavior: 'deny', reason: 'not on Friday' });
    expect(await waiting).toMatchObject({ allowed: false, reason: 'not on Friday', input: { command: 'make' } });
  });

  it('is not allowed by its deadline, a cancelled run or a failed run', async () => {
    expect(await hp.approve({ ...bash('late'), expires_after_ms: 100 })).toMatchObject({
      allowed: false,
      status: 'expired',
    });
    const stopped = hp.approve(bash('stopped'));
    await hp.api.runs.cancel((await shown('stopped')).run_id);
    expect(await stopped).toMatchObject({ allowed: false, status: 'cancelled' });
    const failed = hp.approve(bash('failed'));
    await hp.api.runs.fail((await shown('failed')).run_id);
    expect(await failed).toMatchObject({ allowed: false, status: 'failed' });
  });

  it('refuses an input that was changed after the allow', async () => {
    const spec = bash('drift');
    const waiting = hp.approve(spec);
    const ask = await shown('drift');
    spec.input.command = 'rm -rf /';
    await decide(ask, { behavior: 'allow' });
    expect(await waiting).toMatchObject({ allowed: false, status: 'failed' });
    expect((await hp.api.asks.get(ask.ask_id)).delivery.state).toBe('due');
  });
});

describe('start', () => {
  it('starts a run with several asks, where one that expires cancels the others', async () => {
    const work = await hp.start({ title: 'Release', text: 'cut a release' });
    await work.say('working');
    const slow = work.approve({ id: 'w1', tool_name: 'Bash', input: {} });
    await shown('w1');
    const quick = work.ask({ id: 'w2', question: 'A?', expires_after_ms: 100 });
    expect(await quick).toMatchObject({ status: 'expired' });
    expect(await slow).toMatchObject({ allowed: false, status: 'cancelled' });
    expect((await hp.api.runs.get(work.run_id)).outputs.map((o) => o.text)).toEqual(['working']);
  });

  it('finds the run of the same id again', async () => {
    const first = await hp.start({ session_id: 'nightly' });
    const second = await connect({ url, token: server.token }).start({ session_id: 'nightly' });
    expect(second.run_id).toBe(first.run_id);
    await first.complete('done');
    expect((await hp.api.runs.get(first.run_id)).status).toBe('completed');
  });
});

describe('a token that is bound to one session', () => {
  it('asks several questions in one run of that session', async () => {
    const { session_id } = await hp.api.sessions.create({ agent: 'external' });
    const { token } = await server.makeToken('agent', session_id);
    const own = connect({ url, token });
    const waiting = [own.ask({ id: 'b1', question: 'A?' }), own.ask({ id: 'b2', question: 'B?', secret: true })];
    const asks = [await shown('b1'), await shown('b2')];
    for (const ask of asks) await answer(ask, { freeform_answer: `to ${ask.tool_call_id}` });
    expect((await Promise.all(waiting)).map((o) => o.status === 'answered' && o.answer)).toEqual(['to b1', 'to b2']);
    expect(asks.map((a) => a.session_id)).toEqual([session_id, session_id]);
    expect(asks[0]?.run_id).toBe(asks[1]?.run_id);
  });
});

describe('connect', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-connect-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => vi.unstubAllEnvs());

  it('finds the server and the token of this machine', async () => {
    vi.stubEnv('HOLDPOINT_URL', url);
    vi.stubEnv('HOLDPOINT_TOKEN', '');
    vi.stubEnv('HOLDPOINT_DATA', folder);
    expect(() => connect()).toThrow(/HOLDPOINT_TOKEN/);
    writeFileSync(join(folder, 'operator.token'), `${server.token}\n`);
    expect((await connect().api.sessions.list()).items.length).toBeGreaterThan(0);
  });

  it('works by polling alone', async () => {
    const polling = connect({ url, token: server.token, polling: true });
    const waiting = polling.ask({ id: 'poll', question: 'A?' });
    await answer(await shown('poll'), { freeform_answer: 'polled' });
    expect(await waiting).toMatchObject({ answer: 'polled' });
  });

  it('ends the waits on close and leaves the asks open', async () => {
    const leaving = connect({ url, token: server.token });
    const waiting = leaving.ask({ id: 'left', question: 'A?' }).catch((e: unknown) => e);
    const ask = await shown('left');
    await expect.poll(() => leaving.parked).toBe(1);
    leaving.close();
    expect(await waiting).toBeInstanceOf(Error);
    expect((await hp.api.asks.get(ask.ask_id)).status).toBe('pending');
  });
});

describe('raise', () => {
  it('returns at once, and outcomeOf says pending until there is an answer, then the same outcome each time', async () => {
    const raised = await hp.raise({ id: 'r1', question: 'Where to?', options: ['staging', 'production'] });
    expect(raised).toMatchObject({ status: 'pending' });
    expect(await hp.raise({ id: 'r1', question: 'Where to?', options: ['staging', 'production'] })).toEqual(raised);
    expect(await hp.outcomeOf(raised.ask_id)).toEqual({ ask_id: raised.ask_id, status: 'pending' });
    await answer(await shown('r1'), { selected_option_ids: ['option-1'] });
    const other = connect({ url, token: server.token });
    const outcome = await other.outcomeOf(raised.ask_id);
    expect(outcome).toMatchObject({ kind: 'question', status: 'answered', answer: 'staging' });
    expect(await other.outcomeOf(raised.ask_id)).toEqual(outcome);
    expect(await hp.api.asks.get(raised.ask_id)).toMatchObject({ delivery: { state: 'delivered' } });
    expect(await hp.api.sessions.get(raised.session_id)).toMatchObject({ status: 'ended' });
  });

  it('allows exactly the input of the outcome, and no end without a decision allows', async () => {
    const input = { target: 'staging' };
    const edited = await hp.raise({ id: 'r2', tool_name: 'deploy', input });
    await decide(await shown('r2'), { behavior: 'allow', updated_input: { target: 'eu-staging' } });
    expect(await hp.outcomeOf(edited.ask_id)).toMatchObject({
      kind: 'approval',
      allowed: true,
      edited: true,
      input: { target: 'eu-staging' },
    });
    const expired = await hp.raise({ tool_name: 'deploy', input, expires_after_ms: 1 });
    const waited = await hp.outcomeOf(expired.ask_id, { wait_ms: 30_000 });
    expect(waited).toMatchObject({ kind: 'approval', status: 'expired', allowed: false });
  });

  it('leaves no session behind for an ask that the server refuses', async () => {
    const before = (await hp.api.sessions.list({ status: 'active', limit: 500 })).items.length;
    expect(await problem(hp.raise({ question: '' }))).toMatchObject({ status: 400 });
    expect((await hp.api.sessions.list({ status: 'active', limit: 500 })).items.length).toBe(before);
  });
});
