// Runs a unit's work on sessions, runs, asks and events in memory: opens the sessions that it is about, answers look-ups
// from their states and from its own changes, and collects those changes for the commit. What it has read of a session is
// right if the session's version is still the same at the commit. A stale unit runs again, and then trusts no memory.
import type { Ask } from '../core/ask.ts';
import type { Hash } from '../core/digest.ts';
import { type EventDraft, linkEvent } from '../core/event.ts';
import type { ClaimFilter, Locked, Reader } from '../core/ports.ts';
import type { KeyOf, RecordKind, Records } from '../core/records.ts';
import type { Run } from '../core/run.ts';
import { countBytes, type Session } from '../core/session.ts';
import { type Changes, type Statement, UPDATE_INPUT } from './changes.ts';
import type { Database, OpenedBy } from './database.ts';
import { copyOf, OwnRecords, patched } from './own-records.ts';
import type { SessionState, SessionStates } from './session-states.ts';

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

export class SessionUnit {
  protected readonly context: UnitContext;
  protected readonly changes: Changes;
  readonly opened = new Map<string, SessionState>();
  protected readonly own = new OwnRecords();
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

  // Sessions

  /** Opens the session of a record: from now on no other unit of this server changes it, and its version is compared. */
  protected async open(record: OpenedBy, id: string): Promise<SessionState | undefined> {
    const { database, states, isFresh } = this.context;
    const known = record === 'session' ? id : (this.own.get(record, id)?.sessionId ?? states.ownerOf(id));
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

  /** Before a change: a session that does not exist has no version to compare. */
  protected async touch(sessionId: string): Promise<void> {
    if (!this.own.of('session').get(sessionId)?.isNew) await this.open('session', sessionId);
  }

  async lockSession(id: string): Promise<Session | undefined> {
    const own = this.own.get('session', id);
    if (own) return { ...own };
    const state = await this.open('session', id);
    return state && { ...state.session };
  }

  async lockRun(id: string): Promise<Locked<Run> | undefined> {
    const state = await this.open('run', id);
    return this.locked(state, state && (await this.get('run', id)));
  }

  protected locked<T extends { sessionId: string }>(state: SessionState | undefined, value: T | undefined) {
    const session = value && (this.own.get('session', value.sessionId) ?? state?.session);
    return session && value && { session: { ...session }, value };
  }

  // Records by their keys

  /** As this unit has changed it, as a state has it that may be trusted, or as it is stored. */
  async get<Kind extends RecordKind>(kind: Kind, ...key: KeyOf<Kind>): Promise<Records[Kind] | undefined> {
    const known = this.known(kind, key.join(' '));
    return known ? copyOf(kind, known) : this.reader.get(kind, ...key);
  }

  protected known<Kind extends RecordKind>(kind: Kind, key: string): Records[Kind] | undefined {
    return this.own.get(kind, key) ?? (this.#inState(kind, key) as Records[Kind] | undefined);
  }

  #inState(kind: RecordKind, id: string): Session | Run | Ask | undefined {
    if (kind === 'session') return this.#trusted(id)?.session;
    if (kind === 'run') return this.#stateWith(id)?.runs.get(id);
    return kind === 'ask' ? this.#stateWith(id)?.asks.get(id) : undefined;
  }

  #trusted(sessionId: string): SessionState | undefined {
    const { database, states } = this.context;
    return this.opened.get(sessionId) ?? (database.isSole ? states.get(sessionId) : undefined);
  }

  /** The state that has a run or an ask. */
  #stateWith(id: string): SessionState | undefined {
    const owner = this.context.states.ownerOf(id);
    const state = owner === undefined ? undefined : this.#trusted(owner);
    if (state) return state;
    for (const state of this.opened.values()) if (state.runs.has(id) || state.asks.has(id)) return state;
    return undefined;
  }

  // Runs

  async updateInput(run: Run): Promise<void> {
    await this.touch(run.sessionId);
    const before = await this.get('run', run.id);
    if (!before) return;
    this.own.put('run', run.id, { ...before, input: run.input, textPreview: run.textPreview });
    if (!this.own.of('run').get(run.id)?.isNew) this.#newInputs.set(run.id, run);
  }

  async carryingRun(askId: string): Promise<Run | undefined> {
    return this.#runWith((run) => run.carriesAskId === askId) ?? this.#ownRun(await this.reader.carryingRun(askId));
  }

  async clarificationRun(requestId: string): Promise<Run | undefined> {
    const own = this.#runWith((run) => run.clarification?.requestId === requestId);
    return own ?? this.#ownRun(await this.reader.clarificationRun(requestId));
  }

  #runWith(is: (run: Run) => boolean): Run | undefined {
    for (const { value } of this.own.of('run').values()) if (is(value)) return { ...value };
    return undefined;
  }

  #ownRun(found: Run | undefined): Run | undefined {
    const own = found && this.own.get('run', found.id);
    return own ? { ...own } : found;
  }

  async queuedRuns(sessionId: string): Promise<Run[]> {
    const isQueued = (run: Run) => run.sessionId === sessionId && run.status === 'queued';
    const state = this.complete(sessionId);
    const stored = state ? [...state.runs.values()] : await this.reader.queuedRuns(sessionId);
    return patched(stored, this.own.of('run'), isQueued).sort((a, b) => a.queueOrder - b.queueOrder);
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
  protected complete(sessionId: string | undefined): SessionState | undefined {
    if (sessionId === undefined) return undefined;
    const own = this.own.of('session').get(sessionId);
    if (own?.isNew) return { version: 0, session: own.value, runs: new Map(), asks: new Map(), isComplete: true };
    const state = this.opened.get(sessionId);
    return state?.isComplete ? state : undefined;
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
    const { statements, events } = this.changes;
    const changed = new Set<string>(events.map(({ sessionId }) => sessionId));
    for (const kind of ['run', 'ask'] as const)
      for (const { value } of this.own.of(kind).values()) changed.add(value.sessionId);
    for (const run of this.#newInputs.values()) statements.push(UPDATE_INPUT(run));
    for (const id of changed) {
      const state = this.opened.get(id);
      if (state && !this.own.get('session', id)) this.own.put('session', id, state.session);
    }
    this.changes.rows = this.own.list();
  }

  /** Moves the states on, after the commit. */
  committed(): void {
    const { states } = this.context;
    for (const [id, { value, isNew }] of this.own.of('session')) {
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
    for (const { value } of this.own.of('run').values()) this.opened.get(value.sessionId)?.runs.set(value.id, value);
    for (const { value } of this.own.of('ask').values()) this.opened.get(value.sessionId)?.asks.set(value.id, value);
    for (const state of this.opened.values()) states.keep(state);
  }

  /** Callers change the records that they get: what a failed unit has read is not used again. */
  abandoned(): void {
    for (const id of this.opened.keys()) this.context.states.drop(id);
  }
}
