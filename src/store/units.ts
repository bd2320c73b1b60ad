// Runs units of work above a database, and commits those that have ended meanwhile together: while one batch is being
// committed, the next one gathers. Units of this process about one session run one after the other, so a batch has one
// state of each. A unit that another server has overtaken runs again on what is stored now.
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { MaybePromise, Tx } from '../core/ports.ts';
import type { Changes } from './changes.ts';
import type { Database, Verdict } from './database.ts';
import { gather } from './gather.ts';
import { Locks } from './locks.ts';
import { SessionStates } from './session-states.ts';
import { type Unit, unitsOf } from './unit.ts';

const UNITS_PER_COMMIT = 512;
/** Another server that holds a session's row does so for milliseconds; one that was paused inside a transaction, 5 s. */
const PATIENCE_MS = 6000;
const QUICK_ATTEMPTS = 3;
const PAUSE_MS = 20;
const RETRIES = 5;

type Work<T> = (tx: Tx) => MaybePromise<T>;
type Outcome = { value: unknown } | { error: unknown };

/** A unit that has run and waits for its commit. */
interface Ended {
  changes: Changes;
  decide(verdict: Verdict): void;
}

export class Units {
  readonly #database: Database;
  readonly #hash: Hash;
  readonly #UnitType: ReturnType<typeof unitsOf>;
  readonly #states = new SessionStates();
  readonly #locks = new Locks();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #wake: (appended: readonly Event[]) => void;
  #queue: Ended[] = [];
  #committing = false;
  #isClosed = false;

  constructor(database: Database, hash: Hash, wake: (appended: readonly Event[]) => void) {
    this.#database = database;
    this.#hash = hash;
    this.#wake = wake;
    this.#UnitType = unitsOf(database);
  }

  /** Another server has written these sessions. */
  overtaken(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#states.share(id);
  }

  async write<T>(work: Work<T>): Promise<T> {
    if (this.#isClosed) throw fail('shutting_down', 'The database is closed.');
    const done = this.#run(work);
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
    }
  }

  /** Completes units that are in progress; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #run<T>(work: Work<T>): Promise<T> {
    const held = new Set<string>();
    try {
      return (await this.#attempts(work, held)) as T;
    } finally {
      for (const name of held) this.#locks.release(name);
    }
  }

  async #attempts(work: Work<unknown>, held: Set<string>): Promise<unknown> {
    const since = performance.now();
    let retries = 0;
    for (let stale = 0; ; ) {
      const attempt = new Attempt(this.#locks, held);
      const changes = newChanges();
      const unit = new this.#UnitType(
        {
          database: this.#database,
          states: this.#states,
          hash: this.#hash,
          isFresh: stale + retries > 0,
          lock: (name) => attempt.lock(name),
          isTaken: (name) => this.#locks.isTaken(name) && !held.has(name),
        },
        changes,
      );
      const outcome = await Promise.race([outcomeOf(work, unit), attempt.blocked]);
      if (outcome === BLOCKED) {
        unit.abandoned();
        await attempt.takeAll();
        continue;
      }
      const verdict = await this.#verdictOn(unit, changes, outcome);
      if (verdict.is === 'committed') {
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      }
      unit.abandoned();
      if (verdict.is === 'failed') {
        if (!verdict.isConflict || ++retries > RETRIES) throw verdict.error;
        continue;
      }
      if (verdict.isOvertaken) this.overtaken(unit.opened.keys());
      if (++stale < QUICK_ATTEMPTS) continue;
      if (performance.now() - since > PATIENCE_MS) throw overtaken(changes);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
    }
  }

  /** What becomes of a unit that has run. One that fails changes nothing, but what it failed for must be true. */
  async #verdictOn(unit: Unit, changes: Changes, outcome: Outcome): Promise<Verdict> {
    if ('error' in outcome) {
      changes.rows = [];
      changes.statements = [];
      changes.events = [];
    } else unit.close();
    changes.isCheck = isEmpty(changes);
    if (changes.isCheck && expectsNothing(changes, this.#database.isSole)) {
      if ('error' in outcome) unit.abandoned();
      return { is: 'committed', events: [] };
    }
    const verdict = await new Promise<Verdict>((decide) => {
      this.#queue.push({ changes, decide });
      if (!this.#committing) this.#drain();
    });
    if (verdict.is === 'committed') {
      if ('error' in outcome) unit.abandoned();
      else unit.committed();
    }
    return verdict;
  }

  /** Requests that arrive together share a commit. */
  async #drain(): Promise<void> {
    this.#committing = true;
    while (this.#queue.length > 0) {
      await gather(() => this.#queue.length, UNITS_PER_COMMIT);
      const batch = this.#queue.splice(0, UNITS_PER_COMMIT);
      const verdicts = await this.#database
        .commit(batch.map(({ changes }) => changes))
        .catch((error): Verdict[] => batch.map(() => ({ is: 'failed', error })));
      const appended = verdicts.flatMap((verdict) => (verdict.is === 'committed' ? verdict.events : []));
      // In a microtask of its own: an exception there must not stop the store.
      if (appended.length > 0) queueMicrotask(() => this.#wake(appended));
      for (const [i, { decide }] of batch.entries()) decide(verdicts[i] as Verdict);
    }
    this.#committing = false;
  }
}

const BLOCKED = Symbol('blocked');

/**
 * The locks of one attempt. A unit that has a lock never waits for another one, because that unit might wait for it: it is
 * given up, takes all its locks in order, and begins again with them.
 */
class Attempt {
  readonly blocked: Promise<typeof BLOCKED>;
  readonly #locks: Locks;
  readonly #held: Set<string>;
  readonly #wanted: Set<string>;
  #block: () => void = () => {};

  constructor(locks: Locks, held: Set<string>) {
    this.#locks = locks;
    this.#held = held;
    this.#wanted = new Set(held);
    this.blocked = new Promise((resolve) => {
      this.#block = () => resolve(BLOCKED);
    });
  }

  lock(name: string): Promise<boolean> | false {
    if (this.#held.has(name)) return false;
    this.#wanted.add(name);
    if (this.#locks.tryTake(name)) {
      this.#held.add(name);
      return false;
    }
    if (this.#held.size === 0) return this.#wait(name);
    this.#block();
    return new Promise(() => {});
  }

  async #wait(name: string): Promise<boolean> {
    await this.#locks.take(name);
    this.#held.add(name);
    return true;
  }

  async takeAll(): Promise<void> {
    for (const name of this.#held) this.#locks.release(name);
    this.#held.clear();
    for (const name of [...this.#wanted].sort()) await this.#wait(name);
  }
}

async function outcomeOf(work: Work<unknown>, tx: Tx): Promise<Outcome> {
  try {
    return { value: await work(tx) };
  } catch (error) {
    return { error };
  }
}

const newChanges = (): Changes => ({
  expects: { versions: new Map(), newAskIds: [], newKeys: [], grants: [] },
  isCheck: false,
  rows: [],
  statements: [],
  events: [],
});

const isEmpty = ({ rows, statements, events }: Changes): boolean =>
  statements.length === 0 && events.length === 0 && rows.length === 0;

/** What only this server writes cannot have changed. */
const expectsNothing = ({ expects }: Changes, isSole: boolean): boolean =>
  expects.newAskIds.length === 0 &&
  (isSole || (expects.versions.size === 0 && expects.newKeys.length === 0 && expects.grants.length === 0));

/** Nothing was changed. */
const overtaken = ({ expects }: Changes) =>
  expects.newKeys.length > 0
    ? fail('idempotency_conflict', 'A request with this key is still being worked on. Try again with the same key.')
    : fail('store_unavailable', 'Another server is at work in this session. Nothing was changed: try again.');
