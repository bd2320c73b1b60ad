// What the gateway needs from the outside: a store, a clock, randomness, hashes and a sealer. Types only.
// Everything is asynchronous and nothing assumes one writer: a store may group commits (SQLite) or run transactions
// side by side under the session's lock (PostgreSQL).
import type { Ask, AskKind, AskStatus, DeliveryState, EndedAsk, PendingAsk, Surface } from './ask.ts';
import type { Hash } from './digest.ts';
import type { Draft } from './draft.ts';
import type { Event, EventDraft, EventType } from './event.ts';
import type { IdPrefix } from './id.ts';
import type { StoredResponse } from './idempotency.ts';
import type { Message } from './mailbox.ts';
import type { Output } from './output.ts';
import type { Run, RunStatus } from './run.ts';
import type { Session } from './session.ts';
import type { SignInLink } from './sign-in.ts';
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

/** Keeps secret answers at rest, compares decisions without storing them in the clear, and signs for the server. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
  mac(text: string): string;
  /** What anybody who has `publicKey` can check. */
  sign(text: string): string;
  readonly publicKey: string;
}

export interface Page {
  /** Position of the last row already seen; rows after it follow, oldest first. */
  after?: number | undefined;
  limit: number;
}

/** A row of a list with the position that continues after it. */
export interface Placed<T> {
  at: number;
  value: T;
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
  /** Back in time: a page goes on before the position, not after it. */
  newestFirst?: boolean | undefined;
}

export interface PastFilter {
  /** Any end unless one is named. */
  status?: EndedAsk['status'] | undefined;
  kind?: AskKind | undefined;
  sessionId?: string | undefined;
  agent?: string | undefined;
  /** In lower case. What comes back may lack some of them; whoever asks decides. */
  terms: readonly string[];
}

/** How one ask ended, for counting. */
export interface Outcome {
  agent: string;
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
  /** Part of it, unless exact. */
  name?: string | undefined;
  isExact: boolean;
  skip: number;
  limit: number;
}

export interface EventFilter {
  sessionId?: string | undefined;
  runId?: string | undefined;
}

/** A value, or a promise of it where the database is another process: `await` takes both. */
export type Soon<T> = T | Promise<T>;

export interface Reader {
  session(id: string): Soon<Session | undefined>;
  sessions(filter: SessionFilter, page: Page): Soon<Placed<Session>[]>;
  run(id: string): Soon<Run | undefined>;
  runs(filter: { sessionId?: string | undefined; status?: RunStatus | undefined }, page: Page): Soon<Placed<Run>[]>;
  /** The run that carries an answer on, and the run that asks a clarification. */
  carryingRun(askId: string): Soon<Run | undefined>;
  clarificationRun(requestId: string): Soon<Run | undefined>;
  /** In the order they will get the slot. */
  queuedRuns(sessionId: string): Soon<Run[]>;
  ask(id: string): Soon<Ask | undefined>;
  asks(filter: AskFilter, page: Page): Soon<Placed<Ask>[]>;
  /** Where a stretch of at most so many asks before the position begins, and when; undefined when there are none. */
  stretch(before: number, length: number, sessionId?: string): Soon<{ low: number; at: number } | undefined>;
  /** Ended asks from one position up to another, newest first. */
  pastAsks(filter: PastFilter, low: number, before: number): Soon<Placed<EndedAsk>[]>;
  pastOutcomes(low: number, before: number): Soon<Outcome[]>;
  /** The position of the first ask that came at or after an instant. */
  askPositionAt(at: number): Soon<number>;
  pendingOfRun(runId: string): Soon<PendingAsk[]>;
  /** The newest of them. */
  lastPendingOfRun(runId: string): Soon<PendingAsk | undefined>;
  /** How many asks of each kind are pending, without reading them. */
  pendingKinds(runId: string): Soon<{ approvals: number; questions: number }>;
  dueOfRun(runId: string): Soon<EndedAsk[]>;
  /** The latest answer to the same ask that could not be delivered because the worker was lost. */
  keptAnswer(sessionId: string, kind: AskKind, digest: string): Soon<EndedAsk | undefined>;
  /** The oldest ended form or restart ask that no run carries on yet. */
  toHandOver(runId: string): Soon<EndedAsk | undefined>;
  /** What a dispatch left for the next one when it raised this ask, as JSON text. */
  partialState(askId: string): Soon<string | undefined>;
  /** The form a subtask displayed. */
  formOf(sessionId: string, subtaskId: string): Soon<string | undefined>;
  /** The latest form of a session that this tool call displayed. */
  formOfCall(sessionId: string, toolCallId: string): Soon<Ask | undefined>;
  outputs(runId: string): Soon<Output[]>;
  events(filter: EventFilter, after: number, limit: number): Soon<Event[]>;
  /** Events of one type in a session, before an event, the latest first. */
  latest(sessionId: string, type: EventType, before: number, limit: number): Soon<Event[]>;
  lastSeq(): Soon<number>;
  message(id: string): Soon<Message | undefined>;
  messages(sessionId: string, which: 'open' | 'dead', page: Page): Soon<Placed<Message>[]>;
  token(id: string): Soon<Token | undefined>;
  /** The newest of this name that was not revoked. */
  tokenNamed(name: string): Soon<Token | undefined>;
  tokenByHash(hash: string): Soon<Token | undefined>;
  tokens(page: Page): Soon<Placed<Token>[]>;
  signInLink(hash: string): Soon<SignInLink | undefined>;
  draft(askId: string, author: string): Soon<Draft | undefined>;
  skill(id: string): Soon<Skill | undefined>;
  skills(filter: SkillFilter): Soon<Skill[]>;
  /** Its zip, in base 64. */
  skillArchive(id: string): Soon<string | undefined>;
  /** Pending asks and queued clarifications whose deadline has passed, oldest deadline first. */
  overdueAsks(now: number, limit: number): Soon<PendingAsk[]>;
  overdueRuns(now: number, limit: number): Soon<Run[]>;
  nextDeadline(): Soon<number | undefined>;
  /** Runs that a worker with these labels may take: first in a free queue, or running with nobody at the wheel. */
  claimable(agents: readonly string[], labels: readonly string[], limit: number): Soon<Run[]>;
  leasedBy(workerId: string): Soon<Run[]>;
  lapsedLeases(now: number, limit: number): Soon<Run[]>;
  /** Runs that are held and whose worker is gone for good, for a worker that could host their agents. */
  lostHolds(agents: readonly string[], labels: readonly string[], now: number, limit: number): Soon<Run[]>;
  staleMessages(before: number, limit: number): Soon<Message[]>;
  counts(): Soon<{ pendingAsks: number; dueDeliveries: number; activeSessions: number }>;
}

/** A record read under the lock of its session. */
export interface Locked<T> {
  session: Session;
  value: T;
}

export interface Tx extends Reader {
  /** Reads the session and keeps every other writer off it until the unit has committed. */
  lockSession(id: string): Soon<Session | undefined>;
  lockRun(id: string): Soon<Locked<Run> | undefined>;
  lockAsk(id: string): Soon<Locked<Ask> | undefined>;
  /** Keeps twins of the same idempotency key waiting, then says what the key already stands for. */
  lockKey(scope: string): Soon<StoredResponse | undefined>;
  insertSession(session: Session): Soon<void>;
  updateSession(session: Session): Soon<void>;
  insertRun(run: Run): Soon<void>;
  updateRun(run: Run): Soon<void>;
  /** What a run that has not begun is to do. */
  updateInput(run: Run): Soon<void>;
  insertAsk(ask: PendingAsk): Soon<void>;
  /** Compare-and-set on `pending`: false when somebody else ended it first. */
  endAsk(ask: EndedAsk): Soon<boolean>;
  updateDelivery(ask: EndedAsk): Soon<void>;
  updateSightings(ask: Ask): Soon<void>;
  insertPartialState(askId: string, state: string): Soon<void>;
  /** False when this subtask has displayed a form before. */
  insertForm(sessionId: string, subtaskId: string, askId: string): Soon<boolean>;
  /** Links the drafts to the session's head, which it moves; the caller saves the session. */
  appendEvents(session: Session, drafts: readonly EventDraft[], at: number): Soon<void>;
  insertOutput(output: Output): Soon<boolean>;
  insertMessage(message: Message): Soon<boolean>;
  updateMessage(message: Message): Soon<void>;
  insertToken(token: Token): Soon<void>;
  updateToken(token: Token): Soon<void>;
  insertSignInLink(link: SignInLink): Soon<void>;
  useSignInLink(hash: string, now: number): Soon<void>;
  forgetSignInLinks(before: number): Soon<number>;
  saveDraft(draft: Draft): Soon<void>;
  /** False when the name is taken. */
  insertSkill(skill: Skill, archive: string): Soon<boolean>;
  updateSkill(skill: Skill, archive: string): Soon<void>;
  deleteSkill(id: string): Soon<void>;
  deleteDraft(askId: string, author: string): Soon<boolean>;
  /** Drafts of those who answered the ask, and those nobody has touched since the instant. */
  forgetDrafts(before: number): Soon<number>;
  insertResponse(response: StoredResponse): Soon<void>;
  /** Keeps the first value ever given under a name, and returns it. */
  keepFact(name: string, value: string): Soon<string>;
  forgetResponses(before: number): Soon<number>;
}

export interface Store {
  /** Runs the unit on one consistent snapshot of what is committed. */
  read<T>(unit: (reader: Reader) => Soon<T>): Promise<T>;
  /**
   * Runs the unit in a transaction. Resolves or rejects only after the commit that holds it is on disk. A unit may be
   * undone and run again before that: what it does outside the transaction, it does after.
   */
  write<T>(unit: (tx: Tx) => Soon<T>): Promise<T>;
  /**
   * An advisory wake-up after commits that appended events, with those events where the store has them at hand. A lost
   * one costs milliseconds, never an event.
   */
  onCommit(wake: (appended?: readonly Event[]) => void): void;
  close(): Promise<void>;
}

export interface Ports {
  store: Store;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  sealer: Sealer;
  /** Whether an agent runs headless commands: each of its runs is a dispatch, and is reported as one. */
  isDispatchAgent(agent: string): boolean;
}
