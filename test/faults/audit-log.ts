// The part of the auditor that reads the event log: gapless, linked, in order, the same as it was shown live, and one
// event for each thing that happened.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eventOf } from '../../src/core/audit.ts';
import { logFault } from '../../src/core/event.ts';
import { isTerminal } from '../../src/core/run.ts';
import type { EventView } from '../../src/core/views.ts';
import { countOf } from './count.ts';
import type { Account, Knowledge } from './knowledge.ts';

export function auditLog(knowledge: Knowledge, account: Account): string[] {
  return [
    ...auditChains(account),
    ...auditFollower(knowledge.seen, account.events),
    ...auditOnce(account),
    ...auditSightings(account),
  ];
}

function auditChains({ events, sessions }: Account): string[] {
  const complaints: string[] = [];
  const bySession = new Map<string, EventView[]>();
  let last = 0;
  for (const event of events) {
    if (event.seq <= last) complaints.push(`out of order: event ${event.seq} comes after ${last}`);
    last = event.seq;
    const log = bySession.get(event.session_id);
    if (log) log.push(event);
    else bySession.set(event.session_id, [event]);
  }
  for (const [id, log] of bySession) {
    const fault = logFault(log.map(eventOf), (text) => hash('sha256', text, 'hex'));
    if (fault) complaints.push(`broken log: session ${id}: ${fault}`);
  }
  for (const { session_id } of sessions)
    if (!bySession.has(session_id)) complaints.push(`broken log: session ${session_id} has no events`);
  return complaints;
}

/** A follower that resumed over every crash was shown each event once, in order, and nothing that did not last. */
function auditFollower(seen: Knowledge['seen'], events: readonly EventView[]): string[] {
  const shown = new Map(seen.map(({ seq, hash: shownHash }) => [seq, shownHash]));
  const complaints: string[] = [];
  if (shown.size < seen.length) complaints.push(`shown twice: ${seen.length - shown.size} events`);
  for (const [i, { seq }] of seen.entries())
    if (i > 0 && seq <= (seen[i - 1]?.seq ?? 0)) complaints.push(`shown out of order: event ${seq}`);
  const stored = new Map(events.map((event) => [event.seq, event.hash]));
  for (const [seq, shownHash] of shown)
    if (stored.get(seq) !== shownHash) complaints.push(`shown before it was stored: event ${seq}`);
  const last = seen.at(-1)?.seq ?? 0;
  const missed = events.filter((event) => event.seq <= last && !shown.has(event.seq));
  if (missed.length > 0) complaints.push(`never shown: ${missed.length} events, the first is ${missed[0]?.seq}`);
  return complaints;
}

function auditOnce({ events, asks, runs }: Account): string[] {
  const complaints: string[] = [];
  const idsOf = (type: EventView['type']) => countOf(events.filter((e) => e.type === type).map((e) => e.ask_id));
  const raised = idsOf('ask.raised');
  const claimed = idsOf('ask.claimed');
  for (const { ask_id, status } of asks) {
    const wanted = status === 'pending' ? 0 : 1;
    if ((claimed.get(ask_id) ?? 0) !== wanted)
      complaints.push(`claimed ${claimed.get(ask_id) ?? 0} times: ask ${ask_id} is ${status}`);
    if (raised.get(ask_id) !== 1) complaints.push(`raised ${raised.get(ask_id) ?? 0} times: ask ${ask_id}`);
  }
  const byId = new Map(asks.map((ask) => [ask.ask_id, ask]));
  for (const { type, ask_id = '', data } of events)
    if (type === 'ask.claimed' && !isDeepStrictEqual(data.answer, byId.get(ask_id)?.answer))
      complaints.push(`claimed otherwise: the log and the row of ask ${ask_id} differ`);
  const ends = countOf(events.filter((e) => isTerminal(e.type as never)).map((e) => e.run_id));
  for (const { run_id, status } of runs)
    if ((ends.get(run_id) ?? 0) !== (isTerminal(status) ? 1 : 0))
      complaints.push(`ended ${ends.get(run_id) ?? 0} times: run ${run_id} is ${status}`);
  return complaints;
}

/** Each person saw an ask once, before it ended; the log and the row tell the same. */
function auditSightings({ events, asks }: Account): string[] {
  const told = new Map<string | undefined, object[]>();
  const claimed = new Set<string | undefined>();
  const complaints: string[] = [];
  for (const { type, ask_id, at_ms, data } of events) {
    if (type === 'ask.claimed') claimed.add(ask_id);
    if (type !== 'ask.seen') continue;
    if (claimed.has(ask_id)) complaints.push(`seen too late: ask ${ask_id} had ended`);
    const { by, surface } = data;
    told.set(ask_id, [...(told.get(ask_id) ?? []), { by, surface, at_ms }]);
  }
  for (const { ask_id, seen_by = [] } of asks) {
    if (!isDeepStrictEqual(told.get(ask_id) ?? [], seen_by))
      complaints.push(`seen otherwise: the log and the row of ask ${ask_id} differ`);
    if (new Set(seen_by.map(({ by, surface }) => `${by} ${surface}`)).size < seen_by.length)
      complaints.push(`seen twice: ask ${ask_id} by one person`);
  }
  return complaints;
}
