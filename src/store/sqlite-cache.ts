// Caches recently used sessions, runs and asks, so that the next unit about them does not read them again. Correct because
// one process owns the file and every change of these records passes here. A write updates the cache; when a unit fails
// after a write, the whole cache is cleared. Callers get copies.
import type { Ask } from '../core/ask.ts';
import type { MaybePromise, Reader, Tx } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { andThen } from './sql.ts';

const MOST = 1000;
/** Records with larger texts are not cached. */
const LARGEST = 10_000;

export interface CachedTx {
  tx: Tx;
  forget(): void;
}

export function withCache(tx: Tx): CachedTx {
  const sessions = new RecordCache<Session>((session) => [session.lastMessage, session.rules]);
  const runs = new RecordCache<Run>((run) => run.input);
  const asks = new RecordCache<Ask>((ask) => [ask.content, ask.activity, ask.status === 'pending' ? null : ask.answer]);
  const session = (id: string) => sessions.find(id, tx.session);
  const run = (id: string) => runs.find(id, tx.run);
  const ask = (id: string) => asks.find(id, tx.ask);
  const withSession = async <T extends { sessionId: string }>(found: MaybePromise<T | undefined>) => {
    const value = await found;
    const held = value && (await session(value.sessionId));
    return held && { session: held, value };
  };

  return {
    forget() {
      sessions.clear();
      runs.clear();
      asks.clear();
    },
    tx: {
      ...(tx as Reader),
      ...elsewhere(tx),
      session,
      run,
      ask,
      lockSession: session,
      lockRun: (id) => withSession(run(id)),
      lockAsk: (id) => withSession(ask(id)),
      insertSession: sessions.after(tx.insertSession),
      updateSession: sessions.after(tx.updateSession),
      insertRun: runs.after(tx.insertRun),
      updateRun: runs.after(tx.updateRun),
      updateInput: runs.after(tx.updateInput),
      insertAsk: asks.after(tx.insertAsk as (ask: Ask) => MaybePromise<void>),
      endAsk: (ended) =>
        andThen(tx.endAsk(ended), (isFirst) => {
          if (isFirst) asks.keep(ended);
          return isFirst;
        }),
      updateDelivery: asks.after(tx.updateDelivery as (ask: Ask) => MaybePromise<void>),
      updateSightings: asks.after(tx.updateSightings),
      updateActivity: asks.after(tx.updateActivity),
    },
  };
}

/** Calls that change none of the cached records. A call that is neither here nor above does not compile. */
const elsewhere = (tx: Tx) => ({
  lockKey: tx.lockKey,
  insertPartialState: tx.insertPartialState,
  insertForm: tx.insertForm,
  appendEvents: tx.appendEvents,
  insertOutput: tx.insertOutput,
  insertMessage: tx.insertMessage,
  updateMessage: tx.updateMessage,
  insertToken: tx.insertToken,
  updateToken: tx.updateToken,
  insertSignInLink: tx.insertSignInLink,
  useSignInLink: tx.useSignInLink,
  forgetSignInLinks: tx.forgetSignInLinks,
  saveDraft: tx.saveDraft,
  deleteDraft: tx.deleteDraft,
  insertGrant: tx.insertGrant,
  updateGrant: tx.updateGrant,
  lockGrants: tx.lockGrants,
  insertContact: tx.insertContact,
  updateContact: tx.updateContact,
  insertNotice: tx.insertNotice,
  replaceNotice: tx.replaceNotice,
  cancelNotices: tx.cancelNotices,
  moveNoticeCursor: tx.moveNoticeCursor,
  saveQuietHours: tx.saveQuietHours,
  forgetNotices: tx.forgetNotices,
  insertSkill: tx.insertSkill,
  updateSkill: tx.updateSkill,
  deleteSkill: tx.deleteSkill,
  forgetDrafts: tx.forgetDrafts,
  insertResponse: tx.insertResponse,
  keepFact: tx.keepFact,
  forgetResponses: tx.forgetResponses,
});

/** The last written records by id. Callers change the records they get: each is a copy, one level deep. */
class RecordCache<T extends { id: string }> {
  readonly #known = new Map<string, T>();
  /** The part of a record that may be large. */
  readonly #texts: (record: T) => unknown;

  constructor(texts: (record: T) => unknown) {
    this.#texts = texts;
  }

  find(id: string, read: (id: string) => MaybePromise<T | undefined>): MaybePromise<T | undefined> {
    const known = this.#known.get(id);
    if (known) return { ...known };
    return andThen(read(id), (found) => {
      if (found) this.keep(found);
      return found;
    });
  }

  after(write: (record: T) => MaybePromise<void>): (record: T) => MaybePromise<void> {
    return (record) => andThen(write(record), () => this.keep(record));
  }

  keep(record: T): void {
    this.#known.delete(record.id);
    if (remaining(this.#texts(record), LARGEST) < 0) return;
    this.#known.set(record.id, { ...record });
    if (this.#known.size <= MOST) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Subtracts the length of all texts in a value from a number of characters; stops below zero. */
function remaining(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length;
  if (typeof value !== 'object' || value === null) return characters - 1;
  let left = characters;
  for (const key of Object.keys(value)) {
    left = remaining((value as Record<string, unknown>)[key], left);
    if (left < 0) break;
  }
  return left;
}
