// The invariants of the specification that can be read off a database and its log, whatever was done to get there.
import { expect } from 'vitest';
import type { EndedAsk } from '../../../src/core/ask.ts';
import { approvalDigest, questionDigest } from '../../../src/core/digest.ts';
import { type Event, logFault } from '../../../src/core/event.ts';
import { hash, type OpenGateway } from '../../support/gateway.ts';
import { rowFaults } from './rows.ts';

const ALL = { limit: 10_000 };
const ENDINGS = ['completed', 'failed', 'interrupted', 'cancelled'];
const LIFE = ['started', 'waiting_for_approval', 'waiting_for_user_question', 'output', ...ENDINGS];

export async function checkInvariants(real: OpenGateway): Promise<void> {
  const kept = await real.store.read(async (r) => ({
    sessions: (await r.sessions({}, ALL)).map((p) => p.value),
    runs: (await r.runs({}, ALL)).map((p) => p.value),
    asks: (await r.asks({}, ALL)).map((p) => p.value),
    events: await r.events({}, 0, ALL.limit),
  }));
  const { sessions, runs, asks, events } = kept;

  // I7: the cursor only rises; every session's log is gapless, linked, and ends where its session says.
  expect(events.every((e, i) => i === 0 || e.seq > (events[i - 1]?.seq ?? 0))).toBe(true);
  for (const session of sessions) {
    const log = events.filter((e) => e.sessionId === session.id);
    expect(logFault(log, hash)).toBeUndefined();
    expect([session.headSeq, session.headHash]).toEqual([log.length, log.at(-1)?.hash]);
    checkSlot(log);
    expect(session.pendingCount).toBe(asks.filter((a) => a.sessionId === session.id && a.status === 'pending').length);
    expect(session.queuedCount).toBe(runs.filter((r) => r.sessionId === session.id && r.status === 'queued').length);
  }

  // The log determines what the rows say.
  expect(await rowFaults(real.ports, ['system', ...sessions.map(({ id }) => id)])).toEqual([]);

  for (const run of runs)
    checkLife(
      events.filter((e) => e.runId === run.id),
      run.status,
    );

  for (const ask of asks) {
    const own = events.filter((e) => e.askId === ask.id);
    const count = (type: string) => own.filter((e) => e.type === type).length;
    const isEnded = ask.status !== 'pending';
    // I2, I3: claimed once, delivered once, in this order, and exactly when the record says so.
    expect([ask.id, count('ask.claimed')]).toEqual([ask.id, isEnded ? 1 : 0]);
    expect(count('ask.raised')).toBeLessThanOrEqual(1);
    const state = isEnded ? ask.delivery.state : 'none';
    expect([ask.id, count('ask.delivered'), count('ask.undeliverable')]).toEqual([
      ask.id,
      state === 'delivered' ? 1 : 0,
      state === 'undeliverable' ? 1 : 0,
    ]);
    const order = own.map((e) => ['ask.raised', 'ask.claimed', 'ask.delivered'].indexOf(e.type)).filter((i) => i >= 0);
    expect(order).toEqual([...order].sort());
    if (isEnded) checkEnd(ask, own, sessions.find((s) => s.id === ask.sessionId)?.workFolder);
  }
}

/** I4, I8, I9: who ended it and when is known, an allow comes from somebody who may, for exactly what was shown. */
function checkEnd(ask: EndedAsk, own: Event[], workFolder: string | undefined): void {
  const { answer } = ask;
  expect(JSON.parse(own.find((e) => e.type === 'ask.claimed')?.data ?? '{}').answer).toEqual(answer);
  expect(answer.answered_by).not.toBe('');
  expect(answer.surface).toBeTruthy();
  // A kept answer was given before it was asked again.
  expect(answer.answered_at_ms >= ask.createdAt).toBe(
    answer.kept_from === undefined || answer.answered_at_ms === ask.createdAt,
  );
  expect(answer.outcome).toBe(ask.status);
  if (ask.kind === 'question') {
    expect(answer.behavior).toBeUndefined();
    expect(ask.digest).toBe(questionDigest(ask.content, hash));
    return;
  }
  expect(answer.behavior).toBe(answer.behavior === 'allow' && ask.status === 'answered' ? 'allow' : 'deny');
  if (answer.behavior !== 'allow') return;
  expect(['lead', 'mate', 'policy:autonomous']).toContain(answer.answered_by);
  const ran = { ...ask.content, input: answer.updated_input ?? ask.content.input };
  expect(answer.digest).toBe(approvalDigest(ran, workFolder, hash));
}

/** I5: after its end nothing happens to a run any more, and the log and the record agree about that end. */
function checkLife(own: Event[], status: string): void {
  const life = own.map((e) => e.type as string).filter((type) => LIFE.includes(type));
  const end = life.findIndex((type) => ENDINGS.includes(type));
  expect(end === -1 ? undefined : life[end]).toBe(ENDINGS.includes(status) ? status : undefined);
  if (end !== -1) expect(life.slice(end + 1)).toEqual([]);
}

/** I6: between its start and its end (or its return to the queue) a run has the slot of its session for itself. */
function checkSlot(log: Event[]): void {
  let active: string | undefined;
  for (const { type, runId, data } of log) {
    if (type === 'started') {
      expect(active).toBeUndefined();
      active = runId;
    }
    const leaves = ENDINGS.includes(type) || (type === 'run.recovered' && JSON.parse(data).as === 'queued');
    if (leaves && runId === active) active = undefined;
  }
}
