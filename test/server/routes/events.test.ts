// The event log as the API returns it: gapless and hash-linked within a session, one global cursor that never goes back, the
// documented types, and no alteration that verification misses.
// Covers: src/gateway/ask-ended.ts, src/gateway/ledger.ts
import { describe, expect, it } from 'vitest';
import { eventOf } from '../../../src/core/audit.ts';
import { EVENT_TYPES, logFault } from '../../../src/core/event.ts';
import { SYSTEM_SESSION } from '../../../src/core/session.ts';
import type { EventView } from '../../../src/core/views.ts';
import {
  allow,
  answer,
  clarify,
  decide,
  eventsOfRun,
  eventsOfSession,
  family,
  held,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  startRun,
  typesOf,
} from '../../support/api-calls.ts';
import { hash } from '../../support/server.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

/** Everything that was ever appended, page by page. */
async function wholeLog(): Promise<EventView[]> {
  const all: EventView[] = [];
  for (;;) {
    const page = await ok(server.get<EventView[]>(`/v1/events?limit=500&after=${all.at(-1)?.seq ?? 0}`));
    if (page.length === 0) return all;
    all.push(...page);
  }
}

async function someLife(): Promise<string> {
  const { parentId, childId, childRunId } = await family(server);
  const approval = await raiseApproval(server, childRunId);
  await ok(decide(server, childRunId, allow(approval.ask_id)));
  await ok(server.post(`/v1/asks/${approval.ask_id}/delivered`));
  const asked = await clarify(server, childRunId);
  await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
  await ok(server.post(`/v1/runs/${childRunId}/output`, { text: 'ünïcödé \u2028 "quoted" \\ 👍' }));
  const question = await raiseQuestion(server, childRunId, { mode: 'restart' });
  await ok(server.post(`/v1/sessions/${childId}/questions`, resolution(question.ask_id)));
  await ok(server.post(`/v1/sessions/${childId}/end`));
  await server.makeToken('viewer');
  return parentId;
}

describe('the log of a session', () => {
  it('is gapless and hash-linked, and verifies from what the API returns', async () => {
    const parentId = await someLife();
    const sessions = new Set((await wholeLog()).map((e) => e.session_id));
    expect(sessions).toContain(parentId);
    expect(sessions).toContain(SYSTEM_SESSION);
    for (const id of sessions) {
      const events = await eventsOfSession(server, id);
      expect(events.map((e) => e.session_seq)).toEqual(events.map((_, i) => i + 1));
      expect(logFault(events.map(eventOf), hash)).toBeUndefined();
    }
  });

  it('verifies after a restart, and continues the chain', async () => {
    const h = await held(server);
    await server.restart();
    await ok(answer(server, h));
    const events = await eventsOfSession(server, h.sessionId);
    expect(logFault(events.map(eventOf), hash)).toBeUndefined();
    expect(events.at(-1)?.type).toBe('user_question_resolved');
  });

  it('reveals an event that was changed, removed, swapped or moved to another session', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    const good = (await eventsOfSession(server, h.sessionId)).map(eventOf);
    expect(logFault(good, hash)).toBeUndefined();
    for (let i = 0; i < good.length; i++) {
      const event = good[i];
      if (!event) continue;
      const altered = [
        { ...event, data: event.data.replace('{', '{"x":1,') },
        { ...event, at: event.at + 1 },
        { ...event, type: 'failed' as const },
        { ...event, runId: 'run_other' },
        { ...event, askId: 'ask_other' },
        { ...event, sessionId: 'other' },
        { ...event, id: 'evt_other' },
      ];
      for (const bad of altered) expect(logFault(good.with(i, bad), hash), `event ${i + 1}`).toBeDefined();
      if (i < good.length - 1) expect(logFault(good.toSpliced(i, 1), hash), `without ${i + 1}`).toBeDefined();
    }
  });

  it('is one chain after concurrent writes', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    await Promise.all(Array.from({ length: 60 }, (_, i) => server.post(`/v1/runs/${run_id}/output`, { text: `${i}` })));
    const events = await eventsOfSession(server, session_id);
    expect(logFault(events.map(eventOf), hash)).toBeUndefined();
    expect(typesOf(events).filter((type) => type === 'output')).toHaveLength(60);
  });
});

describe('the global cursor seq', () => {
  it('increases strictly over all sessions and follows the order of each', async () => {
    await someLife();
    const all = await wholeLog();
    for (let i = 1; i < all.length; i++) expect(all[i]?.seq).toBeGreaterThan(all[i - 1]?.seq ?? 0);
    for (const id of new Set(all.map((e) => e.session_id)))
      expect(all.filter((e) => e.session_id === id)).toEqual(await eventsOfSession(server, id));
  });

  it('never shows a reader a smaller number later', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const seen: number[] = [];
    let open = 80;
    const writing = Array.from({ length: open }, async (_, i) => {
      await ok(server.post(`/v1/runs/${run_id}/output`, { text: `${i}` }));
      open -= 1;
    });
    while (open > 0) {
      const page = await ok(server.get<EventView[]>(`/v1/events?after=${seen.at(-1) ?? 0}&limit=500`));
      seen.push(...page.map((e) => e.seq));
      await new Promise(setImmediate);
    }
    await Promise.all(writing);
    const rest = await ok(server.get<EventView[]>(`/v1/events?after=${seen.at(-1) ?? 0}&limit=500`));
    seen.push(...rest.map((e) => e.seq));
    expect(seen).toEqual((await wholeLog()).map((e) => e.seq));
  });
});

describe('the content of the log', () => {
  it('contains for a run the events of its session about that run', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    const session = await eventsOfSession(server, h.sessionId);
    expect(await eventsOfRun(server, h.runId)).toEqual(session.filter((e) => e.run_id === h.runId));
  });

  it('has only documented types, bare for runs and dotted for the rest', async () => {
    await someLife();
    const bare = new Set<string>(
      `accepted queued started waiting_for_approval approval_resolved waiting_for_user_question
       user_question_resolved parent_clarification_resolved output completed failed interrupted cancelled`.split(/\s+/),
    );
    for (const event of await wholeLog()) {
      expect(EVENT_TYPES).toContain(event.type);
      expect(bare.has(event.type), event.type).toBe(!event.type.includes('.'));
      if (bare.has(event.type)) expect(event.run_id, event.type).toBeDefined();
      if (event.type.startsWith('ask.')) expect(event.ask_id, event.type).toBeDefined();
    }
  });

  it('has one claim with outcome, author, surface and instant for every ended ask', async () => {
    const h = await held(server);
    await raiseApproval(server, h.runId);
    await ok(server.post(`/v1/runs/${h.runId}/cancel`));
    const claims = (await eventsOfRun(server, h.runId)).filter((e) => e.type === 'ask.claimed');
    expect(claims).toHaveLength(2);
    for (const { data } of claims)
      expect(data.answer).toMatchObject({
        outcome: 'cancelled',
        answered_by: 'operator',
        surface: 'api',
        answered_at_ms: expect.any(Number),
      });
  });

  it('records an ask as raised before waiting, and as claimed before resolved', async () => {
    const h = await held(server, { kind: 'approval' });
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
    expect(typesOf(await eventsOfRun(server, h.runId)).slice(2)).toEqual([
      'ask.raised',
      'waiting_for_approval',
      'ask.claimed',
      'approval_resolved',
      'ask.delivered',
    ]);
  });

  it('has no event of a refused call', async () => {
    const h = await held(server);
    const before = await wholeLog();
    await refusal(answer(server, h, []), 400, 'question_answer_missing');
    await refusal(server.post(`/v1/runs/${h.runId}/complete`), 409, 'run_state_conflict');
    await refusal(server.post('/v1/sessions', { agent: '' }), 400, 'invalid_request');
    expect(await wholeLog()).toEqual(before);
  });
});

it('lists only events of the types that are asked for, and refuses a type that does not exist', async () => {
  const sessionId = await someLife();
  const wanted = await ok(server.get<EventView[]>(`/v1/sessions/${sessionId}/events?types=ask.raised,ask.claimed`));
  const all = await eventsOfSession(server, sessionId);
  expect(wanted.length).toBeGreaterThan(1);
  expect(wanted).toEqual(all.filter(({ type }) => type === 'ask.raised' || type === 'ask.claimed'));
  expect((await server.get('/v1/events?types=ask.claimed,nothing')).status).toBe(400);
});

it('answers 404 for the log of an unknown session or run', async () => {
  await refusal(server.get('/v1/sessions/nope/events'), 404, 'session_not_found');
  await refusal(server.get('/v1/runs/run_nope/events'), 404, 'run_not_found');
  for (const query of ['after=-1', 'after=x', 'after=1.5', 'snapshot=1'])
    await refusal(server.get(`/v1/events?${query}`), 400, 'invalid_request');
});
