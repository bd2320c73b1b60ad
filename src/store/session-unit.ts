// Runs a unit's work on sessions, runs, asks and events in memory: opens the sessions that it is about, answers look-ups
// from their states and from its own changes, and collects those changes for the commit. What it has read of a session is
// right if the session's version is still the same at the commit. A stale unit runs again, and then trusts no memory.
import type { Ask, EndedAsk, PendingAsk } from '../core/ask.ts';
import type { Hash } from '../core/digest.ts';
import { type EventDraft, linkEvent } from '../core/event.ts';
import type { AskFilter, ClaimFilter, Locked, Page, Positioned, Reader } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import { countBytes, type Session } from '../core/session.ts';
import { type Changes, type Statement, UPDATE_INPUT } from './changes.ts';
import type { Database, RecordKind } from './database.ts';
import { isCarriedOn, type SessionState, type SessionStates } from './session-states.ts';

/** What a unit needs of the store that runs it. */
export interface UnitContext {
  readonly database: Database;
  readonly states: SessionStates;
  readonly hash: Hash;
  /** Takes a lock of this process for the unit; resolves to whether it had to wait. */
  lock(name: string): Promise<boolean> | false;
  isTaken(name: string): boolean;
  /** Whether the unit was stale before: it reads everything again. */
  readonly isFresh: boolean;
}

interface Changed<T> {
  value: T;
  isNew: boolean;
}

type Known<T> = ReadonlyMap<string, Changed<T>>;

export class SessionUnit {
  protected readonly context: UnitContext;
  protected readonly changes: Changes;
  readonly opened = new Map<string, SessionState>();
  readonly #sessions = new Map<string, Changed<Session>>();
  readonly #runs = new Map<string, Changed<Run>>();
  readonly #asks = new Map<string, Changed<Ask>>();
  readonly #newInputs = new Map<string, Run>();

  constructor(context: UnitContext, changes: Changes) {
    this.context = context;
    this.changes = changes;
  }

  protected get reader(): Reader {
    return this.context.database.reader;
  }

  protected change(...statement: Statement): void {
    this.changes.statements.push(statement);
  }

  /** Deletes rows up to an instant; resolves to how many there are. */
  protected async forget(rows: string, before: number): Promise<number> {
    const [found] = await this.context.database.sql.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${rows}`, [before]);
    if (found?.n) this.change(`DELETE FROM ${rows}`, [before]);
    return found?.n ?? 0;
  }

  // Sessions

  /** Opens the session of a record: from now on no other unit of this server changes it, and its version is compared. */
  async #open(record: RecordKind, id: string): Promise<SessionState | undefined> {
    const { database, states, isFresh } = this.context;
    const known = record === 'session' ? id : (this.#ownSession(record, id) ?? states.ownerOf(id));
    const already = known === undefined ? undefined : this.opened.get(known);
    if (already) return already;
    const loaded = await (known === undefined ? database.load(record, id) : undefined);
    const sessionId = known ?? loaded?.session.id;
    if (sessionId === undefined) return undefined;
    const open = this.opened.get(sessionId);
    if (open) return open;
    const waited = await this.context.lock(sessionId);
    const usable = isFresh && !database.isSole ? undefined : states.get(sessionId);
    const state = usable ?? (waited ? undefined : loaded) ?? (await database.load(record, id));
    if (!state) return undefined;
    if (state !== usable) states.loaded(state);
    this.opened.set(sessionId, state);
    this.changes.expects.versions.set(sessionId, state.version);
    return state;
  }

  #ownSession(record: RecordKind, id: string): string | undefined {
    const own = record === 'run' ? this.#runs.get(id) : this.#asks.get(id);
    return own?.value.sessionId;
  }

  /** Before a change: a session that does not exist has no version to compare. */
  async #touch(sessionId: string): Promise<void> {
    if (!this.#sessions.get(sessionId)?.isNew) await this.#open('session', sessionId);
  }

  async lockSession(id: string): Promise<Session | undefined> {
    const own = this.#sessions.get(id);
    if (own) return { ...own.value };
    const state = await this.#open('session', id);
    return state && { ...state.session };
  }

  async lockRun(id: string): Promise<Locked<Run> | undefined> {
    const state = await this.#open('run', id);
    return this.#locked(state, state && (await this.run(id)));
  }

  async lockAsk(id: string): Promise<Locked<Ask> | undefined> {
    const state = await this.#open('ask', id);
    return this.#locked(state, state && (await this.ask(id)));
  }

  #locked<T extends { sessionId: string }>(state: SessionState | undefined, value: T | undefined) {
    const session = value && (this.#sessions.get(value.sessionId)?.value ?? state?.session);
    return session && value && { session: { ...session }, value };
  }

  async session(id: string): Promise<Session | undefined> {
    const state = this.opened.get(id) ?? (this.context.database.isSole ? this.context.states.get(id) : undefined);
    const known = this.#sessions.get(id)?.value ?? state?.session;
    return known ? { ...known } : this.reader.session(id);
  }

  insertSession(session: Session): void {
    this.#sessions.set(session.id, { value: { ...session }, isNew: true });
  }

  async updateSession(session: Session): Promise<void> {
    await this.#touch(session.id);
    put(this.#sessions, { ...session });
  }

  // Runs

  async run(id: string): Promise<Run | undefined> {
    const known = this.#runs.get(id)?.value ?? this.#known(id)?.runs.get(id);
    return known ? { ...known } : this.reader.run(id);
  }

  /** The state that knows a run or an ask and may be trusted. */
  #known(id: string): SessionState | undefined {
    const owner = this.context.states.ownerOf(id);
    if (owner !== undefined) {
      const state =
        this.opened.get(owner) ?? (this.context.database.isSole ? this.context.states.get(owner) : undefined);
      if (state) return state;
    }
    for (const state of this.opened.values()) if (state.runs.has(id) || state.asks.has(id)) return state;
    return undefined;
  }

  async insertRun(run: Run): Promise<void> {
    await this.#touch(run.sessionId);
    this.#runs.set(run.id, { value: { ...run }, isNew: true });
  }

  async updateRun(run: Run): Promise<void> {
    await this.#touch(run.sessionId);
    put(this.#runs, { ...run });
  }

  async updateInput(run: Run): Promise<void> {
    await this.#touch(run.sessionId);
    const before = await this.run(run.id);
    if (!before) return;
    put(this.#runs, { ...before, input: run.input, textPreview: run.textPreview });
    if (!this.#runs.get(run.id)?.isNew) this.#newInputs.set(run.id, run);
  }

  async carryingRun(askId: string): Promise<Run | undefined> {
    return this.#runWith((run) => run.carriesAskId === askId) ?? this.#ownRun(await this.reader.carryingRun(askId));
  }

  async clarificationRun(requestId: string): Promise<Run | undefined> {
    const own = this.#runWith((run) => run.clarification?.requestId === requestId);
    return own ?? this.#ownRun(await this.reader.clarificationRun(requestId));
  }

  #runWith(is: (run: Run) => boolean): Run | undefined {
    for (const { value } of this.#runs.values()) if (is(value)) return { ...value };
    return undefined;
  }

  #ownRun(found: Run | undefined): Run | undefined {
    const own = found && this.#runs.get(found.id);
    return own ? { ...own.value } : found;
  }

  async queuedRuns(sessionId: string): Promise<Run[]> {
    const isQueued = (run: Run) => run.sessionId === sessionId && run.status === 'queued';
    const state = this.#complete(sessionId);
    const stored = state ? [...state.runs.values()] : await this.reader.queuedRuns(sessionId);
    return patched(stored, this.#runs, isQueued, copyOfRun).sort((a, b) => a.queueOrder - b.queueOrder);
  }

  async queuedRunIds(sessionId: string): Promise<string[]> {
    return (await this.queuedRuns(sessionId)).map(({ id }) => id);
  }

  /** Without those in whose sessions another unit of this server is at work, perhaps to claim the same run. */
  async claimable(claim: ClaimFilter, limit: number): Promise<Run[]> {
    for (;;) {
      const found = await this.reader.claimable(claim, limit);
      const free = found.filter(({ sessionId }) => !this.context.isTaken(sessionId));
      const [first] = found;
      if (free.length > 0 || !first) return free;
      await this.context.lock(first.sessionId);
    }
  }

  /** A state that has all open runs and asks of the session; a session that this unit creates has no others. */
  #complete(sessionId: string | undefined): SessionState | undefined {
    if (sessionId === undefined) return undefined;
    const own = this.#sessions.get(sessionId);
    if (own?.isNew) return { version: 0, session: own.value, runs: new Map(), asks: new Map(), isComplete: true };
    const state = this.opened.get(sessionId);
    return state?.isComplete ? state : undefined;
  }

  // Asks

  async ask(id: string): Promise<Ask | undefined> {
    const known = this.#asks.get(id)?.value ?? this.#known(id)?.asks.get(id);
    return known ? copyOf(known) : this.reader.ask(id);
  }

  /** May take a stored ask for a new one at the first attempt: the commit then finds it, and the unit runs again. */
  async askUnlessNew(id: string): Promise<Ask | undefined> {
    const known = this.#asks.get(id)?.value ?? this.#known(id)?.asks.get(id);
    if (known) return copyOf(known);
    if (this.context.database.isSole || this.context.isFresh) return this.reader.ask(id);
    this.changes.expects.newAskIds.push(id);
    return undefined;
  }

  async insertAsk(ask: PendingAsk): Promise<void> {
    await this.#touch(ask.sessionId);
    this.#asks.set(ask.id, { value: copyOf(ask), isNew: true });
  }

  async endAsk(ask: EndedAsk): Promise<boolean> {
    await this.#touch(ask.sessionId);
    const before = await this.ask(ask.id);
    if (before?.status !== 'pending') return false;
    put(this.#asks, copyOf({ ...ask, seenBy: before.seenBy, activity: before.activity }));
    return true;
  }

  async updateDelivery(ask: EndedAsk): Promise<void> {
    await this.#touch(ask.sessionId);
    const before = await this.ask(ask.id);
    if (before && before.status !== 'pending')
      put(this.#asks, copyOf({ ...before, delivery: ask.delivery, sealed: ask.sealed }));
  }

  updateSightings({ id, sessionId, seenBy }: Ask): Promise<void> {
    return this.#update(id, sessionId, { seenBy });
  }

  updateActivity({ id, sessionId, activity }: Ask): Promise<void> {
    return this.#update(id, sessionId, { activity });
  }

  async #update(id: string, sessionId: string, changed: Partial<Pick<Ask, 'seenBy' | 'activity'>>): Promise<void> {
    await this.#touch(sessionId);
    const before = await this.ask(id);
    if (before) put(this.#asks, copyOf({ ...before, ...changed }));
  }

  async asks(filter: AskFilter, page: Page): Promise<Positioned<Ask>[]> {
    const { status, kind, runId, agent } = filter;
    const sessionId = filter.sessionId ?? (runId === undefined ? undefined : (await this.run(runId))?.sessionId);
    const state = status === 'pending' && agent === undefined ? this.#complete(sessionId) : undefined;
    const is = (ask: Ask) =>
      (status === undefined || (status === 'ended' ? ask.status !== 'pending' : ask.status === status)) &&
      (kind === undefined || ask.kind === kind) &&
      (runId === undefined || ask.runId === runId) &&
      (filter.sessionId === undefined || ask.sessionId === filter.sessionId) &&
      (filter.delivery === undefined || (ask.status !== 'pending' && ask.delivery.state === filter.delivery));
    const stored = state ? [] : await this.reader.asks(filter, page);
    const rows = state ? [...state.asks.values()] : stored.map(({ value }) => value);
    const found = patched(rows, this.#asks, is, copyOf).slice(0, page.limit);
    return found.map((value, i) => ({ at: stored[i]?.at ?? 0, value }));
  }

  /** Asks of a run that are open in some way; from memory where all are there. */
  async #asksOf<T extends Ask>(runId: string, is: (ask: Ask) => boolean, read: () => Promise<Ask[]> | Ask[]) {
    const state = this.#complete((await this.run(runId))?.sessionId);
    const stored = state ? [...state.asks.values()] : await read();
    return patched(stored, this.#asks, (ask) => ask.runId === runId && is(ask), copyOf) as T[];
  }

  pendingOfRun(runId: string): Promise<PendingAsk[]> {
    return this.#asksOf(
      runId,
      (ask) => ask.status === 'pending',
      () => this.reader.pendingOfRun(runId),
    );
  }

  async pendingHeads(runId: string): Promise<Pick<PendingAsk, 'id' | 'kind' | 'mode'>[]> {
    if (this.#complete((await this.run(runId))?.sessionId)) return (await this.pendingOfRun(runId)).map(headOf);
    const isPending = (ask: Ask) => ask.runId === runId && ask.status === 'pending';
    const stored = (await this.reader.pendingHeads(runId)).filter(({ id }) => !this.#asks.has(id));
    const own = [...this.#asks.values()].map(({ value }) => value).filter(isPending);
    return [...stored, ...own.map(headOf)];
  }

  async pendingBytes(sessionId: string): Promise<number> {
    return this.reader.pendingBytes(sessionId);
  }

  async lastPendingOfRun(runId: string): Promise<PendingAsk | undefined> {
    const last = (await this.pendingHeads(runId)).at(-1);
    return last && ((await this.ask(last.id)) as PendingAsk | undefined);
  }

  async pendingKinds(runId: string): Promise<{ approvals: number; questions: number }> {
    const heads = await this.pendingHeads(runId);
    const approvals = heads.filter(({ kind }) => kind === 'approval').length;
    return { approvals, questions: heads.length - approvals };
  }

  async dueOfRun(runId: string): Promise<EndedAsk[]> {
    const isDue = (ask: Ask) => ask.runId === runId && ask.status !== 'pending' && ask.delivery.state === 'due';
    return patched<Ask>(await this.reader.dueOfRun(runId), this.#asks, isDue, copyOf) as EndedAsk[];
  }

  async toHandOver(runId: string): Promise<EndedAsk | undefined> {
    const stored = async () => {
      const found = await this.reader.toHandOver(runId);
      return found ? [found] : [];
    };
    const [first] = await this.#asksOf<EndedAsk>(runId, isCarriedOn, stored);
    return first;
  }

  // Events

  appendEvents(session: Session, drafts: readonly EventDraft[], at: number): void {
    for (const draft of drafts) {
      const event = linkEvent(session, draft, at, this.context.hash);
      this.changes.events.push(event);
      session.headSeq = event.sessionSeq;
      session.headHash = event.hash;
      countBytes(session, event.data.length, at);
    }
  }

  /** Lists the changes as rows. Every session of which something changes is among them, because its version moves. */
  close(): void {
    const { rows, statements, events } = this.changes;
    const changed = new Set<string>(events.map(({ sessionId }) => sessionId));
    split(this.#runs, rows.newRuns, rows.runs, (run) => changed.add(run.sessionId));
    split(this.#asks, rows.newAsks, rows.asks, (ask) => changed.add(ask.sessionId));
    for (const run of this.#newInputs.values()) statements.push(UPDATE_INPUT(run));
    for (const id of changed) {
      const state = this.opened.get(id);
      if (state && !this.#sessions.has(id)) this.#sessions.set(id, { value: state.session, isNew: false });
    }
    split(this.#sessions, rows.newSessions, rows.sessions, () => {});
  }

  /** Moves the states on, after the commit. */
  committed(): void {
    const { states } = this.context;
    for (const [id, { value, isNew }] of this.#sessions) {
      const opened = this.opened.get(id);
      if (!opened && !isNew) {
        states.drop(id);
        continue;
      }
      const state = opened ?? { version: -1, session: value, runs: new Map(), asks: new Map(), isComplete: true };
      state.version += 1;
      state.session = value;
      this.opened.set(id, state);
    }
    for (const { value } of this.#runs.values()) this.opened.get(value.sessionId)?.runs.set(value.id, value);
    for (const { value } of this.#asks.values()) this.opened.get(value.sessionId)?.asks.set(value.id, value);
    for (const state of this.opened.values()) states.keep(state);
  }

  /** Callers change the records that they get: what a failed unit has read is not used again. */
  abandoned(): void {
    for (const id of this.opened.keys()) this.context.states.drop(id);
  }
}

const headOf = ({ id, kind, mode }: Ask) => ({ id, kind, mode });

/** Callers change an ask and its delivery, nothing below. */
const copyOf = <T extends Ask>(ask: T): T =>
  ask.status === 'pending' ? { ...ask } : { ...ask, delivery: { ...ask.delivery } };

const copyOfRun = (run: Run): Run => ({ ...run });

function put<T extends { id: string }>(records: Map<string, Changed<T>>, value: T): void {
  records.set(value.id, { value, isNew: records.get(value.id)?.isNew ?? false });
}

function split<T>(records: Known<T>, inserted: T[], updated: T[], each: (value: T) => void): void {
  for (const { value, isNew } of records.values()) {
    (isNew ? inserted : updated).push(value);
    each(value);
  }
}

/** Stored records as this unit has changed them, with those that it has added, as copies. */
function patched<T extends { id: string }>(
  stored: readonly T[],
  own: Known<T>,
  is: (record: T) => boolean,
  copy: (record: T) => T,
): T[] {
  const found: T[] = [];
  const seen = new Set<string>();
  for (const record of stored) {
    seen.add(record.id);
    const current = own.get(record.id)?.value ?? record;
    if (is(current)) found.push(copy(current));
  }
  for (const [id, { value }] of own) if (!seen.has(id) && is(value)) found.push(copy(value));
  return found;
}
