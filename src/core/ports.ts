// Declares the ports of the gateway: a store, a clock, randomness, hashes, a sealer and signing keys. Types only.
// Everything is asynchronous and nothing assumes one writer: units about different sessions run concurrently and share a
// commit, and one that another server has overtaken runs again.
import type { Ask, AskKind, AskStatus, DeliveryState, EndedAsk, PendingAsk, Surface } from './ask.ts';
import type { Hash } from './digest.ts';
import type { Event, EventDraft, EventType } from './event.ts';
import type { Grant } from './grant.ts';
import type { GrantReads } from './grant-store.ts';
import type { IdPrefix } from './id.ts';
import type { StoredResponse } from './idempotency.ts';
import type { Message } from './mailbox.ts';
import type { Notice } from './notice.ts';
import type { NoticeReads } from './notice-store.ts';
import type { Output } from './output.ts';
import type { Forgotten, KeyOf, RecordKind, Records, Removed, Saved } from './records.ts';
import type { RecordTable, Row } from './row-audit.ts';
import type { RuleSet } from './rule-index.ts';
import type { Run, RunStatus } from './run.ts';
import type { Session } from './session.ts';
import type { Skill } from './skill.ts';
import type { Token } from './token.ts';

export interface Clock {
  now(): number;
}

export interface Ids {
  next(prefix: IdPrefix): string;
  /** A secret for a token: unguessable, shown once. */
  secret(): string;
}

/** A key pair that signs the log. */
export interface SigningKey {
  readonly publicKey: string;
  sign(text: string): string;
}

/** Encrypts secret answers and compares decisions without storing them in the clear. Its own pair signs until another does. */
export interface Sealer extends SigningKey {
  /** With a `use`, it can be opened for that use only. */
  seal(text: string, use?: string): string;
  open(sealed: string, use?: string): string;
  mac(text: string): string;
}

/** The key pairs that this server can sign the log with. */
export interface AuditKeys {
  /** The pair that this server prefers. */
  preferred(): SigningKey;
  /** The pair with this public key; undefined where this server does not have it. */
  find(publicKey: string): SigningKey | undefined;
  /** Stores a new pair. It is preferred once `find` has been asked for it, which is when the log has introduced it. */
  prepare(): SigningKey;
}

export interface Page {
  /** Position of the last row already seen; rows after it follow, oldest first. */
  after?: number | undefined;
  limit: number;
  /** The page ends with the row whose texts reach this size. Each row then has its size. */
  bytes?: number | undefined;
}

/** A row of a list with the position that continues after it. */
export interface Positioned<T> {
  at: number;
  value: T;
  bytes?: number;
}

export interface AskFilter {
  status?: AskStatus | 'ended' | undefined;
  kind?: AskKind | undefined;
  sessionId?: string | undefined;
  runId?: string | undefined;
  agent?: string | undefined;
  delivery?: DeliveryState | undefined;
}

export interface SessionFilter {
  id?: string | undefined;
  status?: string | undefined;
  /** Children of this session. */
  parentId?: string | undefined;
  /** Newest first: a page continues before the position, not after it. */
  newestFirst?: boolean | undefined;
}

export interface RunFilter {
  sessionId?: string | undefined;
  status?: RunStatus | undefined;
  /** As in a filter of sessions. */
  newestFirst?: boolean | undefined;
}

export interface PastFilter {
  /** Any end by default. */
  status?: EndedAsk['status'] | undefined;
  kind?: AskKind | undefined;
  sessionId?: string | undefined;
  agent?: string | undefined;
  /** In lower case. The result may lack some of them; the caller filters. */
  terms: readonly string[];
}

/** How one ask ended, for counting. */
export interface Outcome {
  session: Pick<Session, 'id' | 'agent' | 'agentId' | 'projectIds' | 'workFolder'>;
  runId: string;
  /** Of an approval. */
  tool: string | undefined;
  outcome: EndedAsk['status'];
  behavior: 'allow' | 'deny' | undefined;
  by: string;
  surface: Surface;
  askedAt: number;
  endedAt: number;
}

export interface SkillFilter {
  namespace: string;
  /** A part of the name, unless exact. */
  name?: string | undefined;
  isExact: boolean;
  skip: number;
  limit: number;
}

export interface ClaimFilter {
  agents: readonly string[];
  labels: readonly string[];
  /** Leaves out sessions that a worker created which is not a server's own. */
  isBuiltIn?: boolean | undefined;
}

export interface EventFilter {
  sessionId?: string | undefined;
  runId?: string | undefined;
}

/** A value, or a promise of it where the database is another process. */
export type MaybePromise<T> = T | Promise<T>;

/** Rows as they are stored. */
export interface RecordReads {
  /** Sessions of version 0.1, whose log has no seal yet. */
  unsealedSessions(limit: number): MaybePromise<Pick<Session, 'id'>[]>;
  /** The rows of a session in a table after a position (`n`), in order; of `sessions` its own. */
  records(table: RecordTable, sessionId: string, after: number, limit: number): MaybePromise<Row[]>;
  /** How many events a reader of the session finds. */
  eventCount(sessionId: string): MaybePromise<number>;
}

export interface Reader extends RecordReads, GrantReads, NoticeReads {
  get<Kind extends RecordKind>(kind: Kind, ...key: KeyOf<Kind>): MaybePromise<Records[Kind] | undefined>;
  sessions(filter: SessionFilter, page: Page): MaybePromise<Positioned<Session>[]>;
  runs(filter: RunFilter, page: Page): MaybePromise<Positioned<Run>[]>;
  /** The run that carries an answer, and the run that asks a clarification. */
  carryingRun(askId: string): MaybePromise<Run | undefined>;
  clarificationRun(requestId: string): MaybePromise<Run | undefined>;
  /** In the order they will get the slot. */
  queuedRuns(sessionId: string): MaybePromise<Run[]>;
  /** The same without reading their inputs. */
  queuedRunIds(sessionId: string): MaybePromise<string[]>;
  asks(filter: AskFilter, page: Page): MaybePromise<Positioned<Ask>[]>;
  /**
   * Position and instant of the first of at most `length` asks before a position, fewer where they are large; undefined
   * when there are none.
   */
  stretch(before: number, length: number, sessionId?: string): MaybePromise<{ low: number; at: number } | undefined>;
  /** Ended asks from one position up to another, newest first. */
  pastAsks(filter: PastFilter, low: number, before: number): MaybePromise<Positioned<EndedAsk>[]>;
  pastOutcomes(low: number, before: number): MaybePromise<Outcome[]>;
  /** The position of the first ask that came at or after an instant. */
  askPositionAt(at: number): MaybePromise<number>;
  pendingOfRun(runId: string): MaybePromise<PendingAsk[]>;
  /** The same without reading what they ask, which may be large. */
  pendingHeads(runId: string): MaybePromise<Pick<PendingAsk, 'id' | 'kind' | 'mode'>[]>;
  pendingBytes(sessionId: string): MaybePromise<number>;
  dueOfRun(runId: string): MaybePromise<EndedAsk[]>;
  /** The latest answer to the same ask that could not be delivered because the worker was lost. */
  keptAnswer(sessionId: string, kind: AskKind, digest: string): MaybePromise<EndedAsk | undefined>;
  /** The oldest ended form or restart ask whose answer no run carries yet. */
  toHandOver(runId: string): MaybePromise<EndedAsk | undefined>;
  /** The latest form of a session that this tool call displayed. */
  formOfCall(sessionId: string, toolCallId: string): MaybePromise<Ask | undefined>;
  /** The newest, up to the one with which they reach the size (4 MiB by default); in order. */
  outputs(runId: string, bytes?: number): MaybePromise<Output[]>;
  /** Ends with the event that reaches the size; 4 MiB by default. */
  events(filter: EventFilter, after: number, limit: number, bytes?: number): MaybePromise<Event[]>;
  /** Events of one type in a session, before an event, the latest first. */
  latest(sessionId: string, type: EventType, before: number, limit: number): MaybePromise<Event[]>;
  lastSeq(): MaybePromise<number>;
  messages(sessionId: string, which: 'open' | 'dead', page: Page): MaybePromise<Positioned<Message>[]>;
  /** The newest of this name that was not revoked. */
  tokenNamed(name: string): MaybePromise<Token | undefined>;
  /** Tokens of people that were not revoked. */
  personTokens(): MaybePromise<Token[]>;
  tokenByHash(hash: string): MaybePromise<Token | undefined>;
  tokens(page: Page): MaybePromise<Positioned<Token>[]>;
  skills(filter: SkillFilter): MaybePromise<Skill[]>;
  /** How many skills a person has published, and their bytes. */
  skillsOf(author: string): MaybePromise<{ count: number; bytes: number }>;
  /** Pending asks and queued clarifications whose deadline has passed, oldest deadline first. */
  overdueAsks(now: number, limit: number): MaybePromise<PendingAsk[]>;
  overdueRuns(now: number, limit: number): MaybePromise<Run[]>;
  nextDeadline(): MaybePromise<number | undefined>;
  /** Runs that a worker with these labels may claim: first in a free queue, or running without a lease. */
  claimable(claim: ClaimFilter, limit: number): MaybePromise<Run[]>;
  /** The active run of a child session, if it is leased by this holder. */
  leasedChild(parentSessionId: string, leaseHolder: string): MaybePromise<Run | undefined>;
  leasedBy(workerId: string): MaybePromise<Run[]>;
  lapsedLeases(now: number, limit: number): MaybePromise<Run[]>;
  /** Held runs whose worker is lost, for a worker that could host their agents. */
  lostHolds(agents: readonly string[], labels: readonly string[], now: number, limit: number): MaybePromise<Run[]>;
  staleMessages(before: number, limit: number): MaybePromise<Message[]>;
  counts(): MaybePromise<{ pendingAsks: number; dueDeliveries: number; activeSessions: number }>;
}

/** A record read under the lock of its session. */
export interface Locked<T> {
  session: Session;
  value: T;
}

export interface Tx extends Reader {
  /** Reads the session and locks it until the unit has committed. */
  lockSession(id: string): MaybePromise<Session | undefined>;
  lockRun(id: string): MaybePromise<Locked<Run> | undefined>;
  lockAsk(id: string): MaybePromise<Locked<Ask> | undefined>;
  /** The ask, unless it is new; a unit that took a stored ask for a new one is run again. */
  askUnlessNew(id: string): MaybePromise<Ask | undefined>;
  /** Locks an idempotency key until the unit has committed, and returns its stored response. */
  lockKey(scope: string): MaybePromise<StoredResponse | undefined>;
  /** Reads these grants and locks them until the unit has committed. After the lock of a session. */
  lockGrants(ids: readonly string[]): MaybePromise<Grant[]>;
  /** False where a record of its kind has its key: nothing changes then. */
  insert<Kind extends RecordKind>(kind: Kind, record: Records[Kind]): MaybePromise<boolean>;
  /** Writes what can change of a stored record. An ask that has ended stays as it ended. */
  update<Kind extends RecordKind>(kind: Kind, record: Records[Kind]): MaybePromise<void>;
  save<Kind extends Saved>(kind: Kind, record: Records[Kind]): MaybePromise<void>;
  remove<Kind extends Removed>(kind: Kind, ...key: KeyOf<Kind>): MaybePromise<void>;
  /** Deletes those that were of use until the instant. Resolves to how many there were. */
  forget(kind: Forgotten, until: number): MaybePromise<number>;
  /** The input of a run that has not begun. */
  updateInput(run: Run): MaybePromise<void>;
  /** Compare-and-set on `pending`: false when the ask has already ended. */
  endAsk(ask: EndedAsk): MaybePromise<boolean>;
  /** Compare-and-set on the state and attempts of `before`: false when another server was first. */
  replaceNotice(before: Notice, after: Notice): MaybePromise<boolean>;
  /** Compare-and-set: false when another server has moved it. `from` undefined: from wherever it is. */
  moveNoticeCursor(from: number | undefined, to: number): MaybePromise<boolean>;
  /** Stores a value under a name unless there is one, and returns the stored one. */
  keepFact(name: string, value: string): MaybePromise<string>;
  /** Links the drafts to the session's head and moves it; the caller saves the session. */
  appendEvents(session: Session, drafts: readonly EventDraft[], at: number): MaybePromise<void>;
}

export interface Store {
  /** What is committed, each look-up by itself. Events need a snapshot: they are shown in the order of their numbers. */
  readonly reader: Omit<Reader, 'events' | 'latest' | 'lastSeq'>;
  /** Runs the unit on one consistent snapshot of what is committed. */
  read<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T>;
  /**
   * Runs the unit and commits its changes together. Resolves only after they are on disk, and rejects only when what the
   * unit refused for is true there. A unit may be given up and run again before that: side effects belong after it.
   */
  write<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T>;
  /**
   * An advisory wake-up after commits that appended events, with those events where the store has them. A lost one costs
   * milliseconds, never an event.
   */
  onCommit(wake: (appended?: readonly Event[]) => void): void;
  /** Every event up to this number is committed and was shown: later reads show it, too. */
  shown(seq: number): void;
  close(): Promise<void>;
}

export interface OrganisationRules {
  /** As they are now; undefined: there are none. */
  rules(): RuleSet | undefined;
  /** What is wrong with their file now. */
  fault(): string | undefined;
}

export interface Ports {
  store: Store;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  sealer: Sealer;
  auditKeys: AuditKeys;
  /** Whether an agent runs headless commands: each of its runs is a dispatch. */
  isDispatchAgent(agent: string): boolean;
  /** Whether the input of its runs may say what it is allowed to do. */
  takesSettings(agent: string): boolean;
  /** What is wrong with the input of a run, where the agent is known here. */
  inputProblem?(agent: string, input: Record<string, unknown>): string | undefined;
  rules?: OrganisationRules | undefined;
  /** What one session may store in a day; 0 or nothing for no limit. */
  sessionBytesPerDay?: number | undefined;
}
