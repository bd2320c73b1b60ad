// The session log: events are linked one to the next, and any tampering is found offline.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EVENT_TYPES,
  type Event,
  type EventDraft,
  FIRST_PREV_HASH,
  hashInput,
  linkEvent,
  logFault,
} from '../../src/core/event.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const draft: fc.Arbitrary<EventDraft> = fc.record({
  type: fc.constantFrom(...EVENT_TYPES),
  runId: fc.option(fc.constantFrom('run_1', 'run_2'), { nil: undefined }),
  askId: fc.option(fc.constantFrom('ask_1', 'ask_2'), { nil: undefined }),
  data: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
});
const log = (minLength: number) => fc.array(draft, { minLength, maxLength: 8 }).map(logOf);

describe('linking', () => {
  it('numbers events from one without a gap and links each to the hash before it', () => {
    fc.assert(
      fc.property(log(1), (events) => {
        expect(events.map((e) => e.sessionSeq)).toEqual(events.map((_, i) => i + 1));
        expect(events.map((e) => e.prevHash)).toEqual([FIRST_PREV_HASH, ...events.slice(0, -1).map((e) => e.hash)]);
        expect(new Set(events.map((e) => e.hash)).size).toBe(events.length);
        expect(logFault(events, hash)).toBeUndefined();
      }),
    );
  });

  it('stores the data as canonical JSON, so that the order of fields does not matter', () => {
    const link = (data: Record<string, unknown>) =>
      linkEvent({ id: 's', headSeq: 0, headHash: FIRST_PREV_HASH }, { type: 'output', data }, 1, hash);
    expect(link({ a: 1, b: undefined, c: 2 })).toEqual(link({ c: 2, a: 1 }));
    expect(link({ a: 1 }).hash).not.toBe(link({ a: 2 }).hash);
  });

  it('hashes no two different events as the same text', () => {
    const fields = fc.record({
      prevHash: fc.string(),
      sessionId: fc.string(),
      sessionSeq: fc.nat(),
      id: fc.string(),
      at: fc.nat(),
      type: fc.constantFrom(...EVENT_TYPES),
      runId: fc.option(fc.string(), { nil: undefined }),
      askId: fc.option(fc.string(), { nil: undefined }),
      data: fc.string(),
    });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        expect(hashInput(a) === hashInput(b)).toBe(
          JSON.stringify(sortedEntries(a)) === JSON.stringify(sortedEntries(b)),
        );
      }),
    );
  });
});

describe('tampering', () => {
  it('detects a change to any field of any event, also when the hash of that event is computed again', () => {
    const edits: ((e: Event) => Event)[] = [
      (e) => ({ ...e, data: e.data === '{"x":1}' ? '{"x":2}' : '{"x":1}' }),
      (e) => ({ ...e, data: ` ${e.data}` }),
      (e) => ({ ...e, type: e.type === 'output' ? 'failed' : 'output' }),
      (e) => ({ ...e, at: e.at + 1 }),
      (e) => ({ ...e, id: `${e.id}0` }),
      (e) => ({ ...e, sessionId: 'ses_other' }),
      (e) => ({ ...e, runId: e.runId === 'run_1' ? undefined : 'run_1' }),
      (e) => ({ ...e, askId: e.askId === 'ask_1' ? undefined : 'ask_1' }),
      (e) => ({ ...e, prevHash: hash(e.prevHash) }),
      (e) => ({ ...e, hash: hash(e.hash) }),
      (e) => ({ ...e, sessionSeq: e.sessionSeq + 1 }),
    ];
    fc.assert(
      fc.property(log(2), fc.nat(), fc.constantFrom(...edits), fc.boolean(), (events, n, edit, refit) => {
        // The last event can be rewritten by who can also rewrite the head; every other one is held by its successor.
        const i = n % (events.length - (refit ? 1 : 0));
        const edited = edit(at(events, i));
        const forged = refit ? { ...edited, hash: hash(hashInput(edited)) } : edited;
        fc.pre(forged.hash !== at(events, i).hash || !refit);
        expect(logFault(events.with(i, forged), hash)).toMatch(/^event \d+ /);
      }),
      { numRuns: 300 },
    );
  });

  it('detects a removed event, and a removed tail by the head of the session', () => {
    fc.assert(
      fc.property(log(2), fc.nat(), (events, n) => {
        const i = n % (events.length - 1);
        expect(logFault(events.toSpliced(i, 1), hash)).toBe(`event ${i + 2} follows ${i}`);
        const cut = events.slice(0, -1);
        expect(logFault(cut, hash)).toBeUndefined();
        expect(cut.at(-1)?.hash).not.toBe(events.at(-1)?.hash);
      }),
    );
  });

  it('detects a removed beginning', () => {
    fc.assert(
      fc.property(log(2), fc.nat(), (events, n) => {
        const from = 1 + (n % (events.length - 1));
        expect(logFault(events.slice(from), hash)).toBe(`event ${from + 1} follows 0`);
        const renumbered = events.slice(from).map((e, i) => ({ ...e, sessionSeq: i + 1 }));
        expect(logFault(renumbered, hash)).toBe('event 1 does not link to the one before it');
      }),
    );
  });

  it('detects two swapped events, also when their numbers are swapped too', () => {
    fc.assert(
      fc.property(log(2), fc.nat(), fc.nat(), (events, n, m) => {
        const i = n % events.length;
        const j = m % events.length;
        fc.pre(i !== j);
        const [a, b] = [at(events, i), at(events, j)];
        expect(logFault(events.with(i, b).with(j, a), hash)).toMatch(/follows/);
        const renumbered = events
          .with(i, { ...b, sessionSeq: a.sessionSeq, prevHash: a.prevHash })
          .with(j, { ...a, sessionSeq: b.sessionSeq, prevHash: b.prevHash });
        expect(logFault(renumbered, hash)).toMatch(/was altered/);
      }),
    );
  });

  it('detects an inserted event, also one that links to the event before it', () => {
    fc.assert(
      fc.property(log(1), draft, fc.nat(), (events, extra, n) => {
        const i = n % events.length;
        const before = events[i - 1];
        const head = { id: 's', headSeq: i, headHash: before?.hash ?? FIRST_PREV_HASH };
        const forged: Event = { seq: 0, ...linkEvent(head, extra, 99, hash) };
        expect(logFault([...events.slice(0, i), forged, ...events.slice(i)], hash)).toBe(
          `event ${i + 1} follows ${i + 1}`,
        );
        const renumbered = events.slice(i).map((e) => ({ ...e, sessionSeq: e.sessionSeq + 1 }));
        expect(logFault([...events.slice(0, i), forged, ...renumbered], hash)).toMatch(/^event \d+ does not link/);
      }),
    );
  });

  it('reports nothing for an empty log and for an unchanged log', () => {
    expect(logFault([], hash)).toBeUndefined();
    fc.assert(fc.property(log(1), (events) => logFault(structuredClone(events), hash) === undefined));
  });
});

function logOf(drafts: EventDraft[]): Event[] {
  const head = { id: 's', headSeq: 0, headHash: FIRST_PREV_HASH };
  return drafts.map((d, i) => {
    const event = linkEvent(head, d, 1000 + i, hash);
    head.headSeq = event.sessionSeq;
    head.headHash = event.hash;
    return { seq: i + 1, ...event };
  });
}

function at<T>(list: readonly T[], i: number): T {
  const found = list[i];
  if (found === undefined) throw new Error(`nothing at ${i}`);
  return found;
}

const sortedEntries = (record: object) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
