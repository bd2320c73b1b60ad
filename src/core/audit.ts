// Verifies a log offline, event by event, in any order that keeps each session's own: every session is gapless and linked,
// and every signed checkpoint matches events that are there, so that a missing tail or session is detected. Owns the
// content of a checkpoint and what counts as a fault; signatures are made and verified by callbacks.
import { z } from 'zod';
import { canonical, type Hash } from './digest.ts';
import { type Event, linkFault, NO_HEAD } from './event.ts';
import type { EventView } from './views.ts';

export const CHECKPOINT = 'audit.checkpoint';

const Statement = z.object({
  /** It covers the events after the first up to the second number: each checkpoint begins where another ended. */
  after_seq: z.int(),
  through_seq: z.int(),
  /** The last event, so far, of every session that has one in between. */
  heads: z.array(z.strictObject({ session_id: z.string(), session_seq: z.int(), hash: z.string() })),
});
export type Statement = z.infer<typeof Statement>;
const Checkpoint = Statement.extend({ key: z.string(), signature: z.string() });

/** What is signed. */
export const statementText = ({ after_seq, through_seq, heads }: Statement): string =>
  canonical({ after_seq, through_seq, heads });

/** What the API returned, as the record whose chain can be verified. */
export const eventOf = (view: EventView): Event => ({
  seq: view.seq,
  sessionSeq: view.session_seq,
  id: view.id,
  at: view.at_ms,
  sessionId: view.session_id,
  runId: view.run_id,
  askId: view.ask_id,
  type: view.type,
  data: canonical(view.data),
  prevHash: view.prev_hash,
  hash: view.hash,
});

/** Checks a signature of a text by a key. */
export type Verify = (text: string, signature: string, key: string) => boolean;

export interface AuditReport {
  events: number;
  sessions: number;
  checkpoints: number;
  keys: string[];
  signed_through_seq: number;
  /** How many came after what the last checkpoint covers. */
  unsigned_events: number;
  faults: string[];
}

interface Chain {
  seq: number;
  hash: string;
  isBroken: boolean;
  /** Hashes that no checkpoint covers yet, by their number in the session. */
  unsigned: Map<number, string>;
  /** Heads of a checkpoint whose events have not come yet. */
  promised: Map<number, string>;
}

export interface Audit {
  add(event: Event): void;
  report(): AuditReport;
}

/** With `keys`, only these may sign; without, only the first key that did. */
export function createAudit(hash: Hash, verify: Verify, keys: readonly string[] = []): Audit {
  const chains = new Map<string, Chain>();
  const faults: string[] = [];
  const seenKeys = new Set<string>();
  let events = 0;
  let checkpoints = 0;
  let through = 0;
  /** Of events that no checkpoint covers yet. */
  let later: number[] = [];

  const chainOf = (sessionId: string): Chain => {
    const known = chains.get(sessionId);
    if (known) return known;
    const chain = { ...NO_HEAD, isBroken: false, unsigned: new Map(), promised: new Map() };
    chains.set(sessionId, chain);
    return chain;
  };

  function link(event: Event): void {
    const chain = chainOf(event.sessionId);
    const fault = chain.isBroken ? undefined : linkFault(chain, event, hash);
    if (fault !== undefined) {
      chain.isBroken = true;
      faults.push(`session ${event.sessionId}: ${fault}`);
    }
    chain.seq = event.sessionSeq;
    chain.hash = event.hash;
    const promise = chain.promised.get(event.sessionSeq);
    chain.promised.delete(event.sessionSeq);
    if (promise === undefined) chain.unsigned.set(event.sessionSeq, event.hash);
    else if (promise !== event.hash) faults.push(notSigned(event.sessionId, event.sessionSeq));
  }

  function vouch({ session_id, session_seq, hash: signed }: Statement['heads'][number]): void {
    const chain = chainOf(session_id);
    if (session_seq > chain.seq) {
      chain.promised.set(session_seq, signed);
      return;
    }
    if (chain.unsigned.get(session_seq) !== signed) faults.push(notSigned(session_id, session_seq));
    for (const seq of chain.unsigned.keys()) if (seq <= session_seq) chain.unsigned.delete(seq);
  }

  function readCheckpoint(event: Event): void {
    const where = `the checkpoint at event ${event.seq}`;
    const { data: said } = Checkpoint.safeParse(JSON.parse(event.data));
    checkpoints += 1;
    if (!said) return void faults.push(`${where} cannot be read`);
    const allowed = keys.length > 0 ? keys : [...seenKeys].slice(0, 1);
    seenKeys.add(said.key);
    if (allowed.length > 0 && !allowed.includes(said.key))
      faults.push(`${where} is signed by another key: ${said.key}`);
    if (!verify(statementText(said), said.signature, said.key))
      return void faults.push(`${where} has a false signature`);
    if (said.after_seq !== through)
      faults.push(`${where} follows event ${said.after_seq}, the one before it ended at ${through}`);
    through = said.through_seq;
    later = later.filter((seq) => seq > through);
    for (const head of said.heads) vouch(head);
  }

  return {
    add(event) {
      events += 1;
      link(event);
      if (event.type === CHECKPOINT) readCheckpoint(event);
      else later.push(event.seq);
    },
    report() {
      const missing = [...chains].flatMap(([sessionId, { seq, promised }]) => {
        if (promised.size === 0) return [];
        const last = Math.max(...promised.keys());
        return [
          seq === 0
            ? `session ${sessionId} is missing`
            : `session ${sessionId}: events ${seq + 1} to ${last} are missing`,
        ];
      });
      const sessions = [...chains.values()].filter(({ seq }) => seq > 0).length;
      return {
        events,
        sessions,
        checkpoints,
        keys: [...seenKeys],
        signed_through_seq: through,
        unsigned_events: later.length,
        faults: [...faults, ...missing],
      };
    },
  };
}

const notSigned = (sessionId: string, seq: number): string =>
  `session ${sessionId}: event ${seq} is not the one that was signed`;
