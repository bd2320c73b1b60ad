// Verifies a log offline, event by event, in any order that keeps each session's own: every session is gapless and linked,
// and every signed checkpoint matches events that are there, in the order that it states, and follows the checkpoint before
// it. Owns what counts as a fault of a log; signatures are verified by a callback.
import {
  CHECKPOINT,
  type Checkpoint,
  isChained,
  KEY_INTRODUCED,
  NO_CHECKPOINT,
  orderHash,
  readCheckpoint,
  readIntroduction,
  signedText,
} from './checkpoint.ts';
import { canonical, type Hash } from './digest.ts';
import type { Event } from './event.ts';
import { SessionChains } from './session-chains.ts';
import { SigningKeys, type Verify } from './signing-keys.ts';
import type { EventView } from './views.ts';

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

/** A range of events that a checkpoint signed. */
interface Range {
  where: string;
  after: number;
  through: number;
  events: number;
  order: string;
}

export class Audit {
  readonly #hash: Hash;
  readonly #faults: string[] = [];
  readonly #verify: Verify;
  readonly #keys: SigningKeys;
  readonly #chains: SessionChains;
  /** The hashes of the checkpoints, in their order. */
  readonly checkpoints = new Set<string>();
  #previous = NO_CHECKPOINT;
  #events = 0;
  #through = 0;
  #isChained = false;
  /** Events that no checkpoint covers yet. */
  #uncovered: Pick<Event, 'seq' | 'hash' | 'type'>[] = [];
  /** Ranges whose events have not all come yet. */
  readonly #incomplete: Range[] = [];
  /** Faults of whole ranges, reported where no session explains them. */
  readonly #rangeFaults: string[] = [];

  /** With `keys`, only these may sign, and those they introduced; without, the first key that did. */
  constructor(hash: Hash, verify: Verify, keys: readonly string[] = []) {
    this.#hash = hash;
    this.#verify = verify;
    this.#keys = new SigningKeys(verify, keys);
    this.#chains = new SessionChains(hash, (fault) => this.#faults.push(fault));
  }

  add(event: Event): void {
    this.#events += 1;
    this.#uncovered.push({ seq: event.seq, hash: event.hash, type: event.type });
    this.#chains.link(event);
    if (event.type === CHECKPOINT) this.#readCheckpoint(event);
    if (event.type === KEY_INTRODUCED) this.#readIntroduction(event);
  }

  report(): AuditReport {
    for (const range of this.#incomplete.splice(0)) this.#compare(range, this.#eventsIn(range));
    const named = [...this.#faults, ...this.#chains.missing()];
    const unsigned = this.#uncovered.filter(({ seq, type }) => seq > this.#through && type !== CHECKPOINT);
    return {
      events: this.#events,
      sessions: this.#chains.size,
      checkpoints: this.checkpoints.size,
      keys: [...this.#keys.seen],
      signed_through_seq: this.#through,
      unsigned_events: unsigned.length,
      faults: named.length > 0 ? named : this.#rangeFaults,
    };
  }

  #readCheckpoint(event: Event): void {
    const where = `the checkpoint at event ${event.seq}`;
    const fault = (what: string) => this.#faults.push(`${where} ${what}`);
    const said = readCheckpoint(event.data);
    const previous = this.#previous;
    this.#previous = this.#hash(event.data);
    this.checkpoints.add(this.#previous);
    if (!said) return void fault('cannot be read');
    if (!this.#keys.allows(said.key)) fault(`is signed by another key: ${said.key}`);
    if (!this.#verify(signedText(said), said.signature, said.key)) return void fault('has a false signature');
    if (said.after_seq !== this.#through)
      fault(`follows event ${said.after_seq}, the one before it ended at ${this.#through}`);
    else if (isChained(said) ? said.previous !== previous : this.#isChained)
      fault('does not follow the checkpoint before it');
    this.#cover(said, where);
  }

  #cover(said: Checkpoint, where: string): void {
    this.#through = said.through_seq;
    for (const head of said.heads) this.#chains.vouch(head);
    const { after_seq: after, through_seq: through } = said;
    if (!isChained(said)) return void this.#forget({ after: 0, through });
    this.#isChained = true;
    const range = { where, after, through, events: said.events, order: said.order };
    const events = this.#eventsIn(range);
    if (events.length < said.events) this.#incomplete.push(range);
    else this.#compare(range, events);
  }

  #compare(range: Range, events: Pick<Event, 'seq' | 'hash'>[]): void {
    this.#forget(range);
    const { where, after, through } = range;
    if (events.length === range.events && orderHash(events, this.#hash) === range.order) return;
    const found = `from ${after + 1} to ${through} there are ${events.length}`;
    this.#rangeFaults.push(`${where} signed ${range.events} events in another order, or others: ${found}`);
  }

  #eventsIn({ after, through }: Range) {
    return this.#uncovered.filter(({ seq }) => seq > after && seq <= through).sort((a, b) => a.seq - b.seq);
  }

  #forget({ after, through }: Pick<Range, 'after' | 'through'>): void {
    this.#uncovered = this.#uncovered.filter(({ seq }) => seq <= after || seq > through);
  }

  #readIntroduction(event: Event): void {
    const said = readIntroduction(event.data);
    if (said && this.#keys.introduce(said)) return;
    this.#faults.push(`the signing key introduced at event ${event.seq} is not signed by the key before it`);
  }
}
