// Verifies the chain of every session of a log, event by event, and holds signed heads against it. Where a signed head comes
// before its event, the event is awaited: one that never comes was removed.
import type { Checkpoint } from './checkpoint.ts';
import type { Hash } from './digest.ts';
import { type Event, linkFault, NO_HEAD } from './event.ts';

interface Chain {
  seq: number;
  hash: string;
  /** The number of its last event in the whole log. */
  globalSeq: number;
  isBroken: boolean;
  /** Hashes that no checkpoint covers yet, by their number in the session. */
  unsigned: Map<number, string>;
  /** Heads of a checkpoint whose events have not come yet. */
  promised: Map<number, string>;
}

type Head = Checkpoint['heads'][number];

export class SessionChains {
  readonly #chains = new Map<string, Chain>();
  readonly #hash: Hash;
  readonly #report: (fault: string) => void;

  constructor(hash: Hash, report: (fault: string) => void) {
    this.#hash = hash;
    this.#report = report;
  }

  get size(): number {
    return [...this.#chains.values()].filter(({ seq }) => seq > 0).length;
  }

  link(event: Event): void {
    const chain = this.#chainOf(event.sessionId);
    const fault = chain.isBroken ? undefined : (linkFault(chain, event, this.#hash) ?? orderFault(chain, event));
    if (fault !== undefined) {
      chain.isBroken = true;
      this.#report(`session ${event.sessionId}: ${fault}`);
    }
    chain.seq = event.sessionSeq;
    chain.hash = event.hash;
    chain.globalSeq = event.seq;
    const promise = chain.promised.get(event.sessionSeq);
    chain.promised.delete(event.sessionSeq);
    if (promise === undefined) chain.unsigned.set(event.sessionSeq, event.hash);
    else if (promise !== event.hash) this.#report(notSigned(event.sessionId, event.sessionSeq));
  }

  /** A checkpoint signed this head. */
  vouch({ session_id, session_seq, hash: signed }: Head): void {
    const chain = this.#chainOf(session_id);
    if (session_seq > chain.seq) {
      chain.promised.set(session_seq, signed);
      return;
    }
    if (chain.unsigned.get(session_seq) !== signed) this.#report(notSigned(session_id, session_seq));
    for (const seq of chain.unsigned.keys()) if (seq <= session_seq) chain.unsigned.delete(seq);
  }

  /** Sessions and ends of sessions that were signed and never came. */
  missing(): string[] {
    return [...this.#chains].flatMap(([sessionId, { seq, promised }]) => {
      if (promised.size === 0) return [];
      const last = Math.max(...promised.keys());
      const isWhole = seq === 0;
      return [
        isWhole ? `session ${sessionId} is missing` : `session ${sessionId}: events ${seq + 1} to ${last} are missing`,
      ];
    });
  }

  #chainOf(sessionId: string): Chain {
    const known = this.#chains.get(sessionId);
    if (known) return known;
    const chain = { ...NO_HEAD, globalSeq: 0, isBroken: false, unsigned: new Map(), promised: new Map() };
    this.#chains.set(sessionId, chain);
    return chain;
  }
}

/** The whole log has the events of a session in the session's own order. */
const orderFault = ({ globalSeq }: Chain, { seq, sessionSeq }: Event): string | undefined =>
  seq > globalSeq ? undefined : `event ${sessionSeq} is number ${seq} of the whole log, the one before it ${globalSeq}`;

const notSigned = (sessionId: string, seq: number): string =>
  `session ${sessionId}: event ${seq} is not the one that was signed`;
