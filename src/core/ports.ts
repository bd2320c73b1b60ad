// What the gateway needs from the outside: a store, a clock, randomness, hashes and a sealer. Types only.
// Everything is asynchronous and nothing assumes one writer: a store may group commits (SQLite) or run transactions
// side by side under the session's lock (PostgreSQL).
import type { Ask, AskKind, AskStatus, DeliveryState, EndedAsk, PendingAsk } from './ask.ts';
import type { Hash } from './digest.ts';
import type { Draft } from './draft.ts';
import type { Event, EventDraft } from './event.ts';
import type { IdPrefix } from './id.ts';
import type { StoredResponse } from './idempotency.ts';
import type { Item, Output } from './item.ts';
import type { Message } from './mailbox.ts';
import type { Run, RunStatus } from './run.ts';
import type { Session } from './session.ts';
import type { SignInLink } from './sign-in.ts';
import type { Token } from './token.ts';

export interface Clock {
  now(): number;
}

export interface Ids {
  next(prefix: IdPrefix): string;
  /** A secret for a token: unguessable, shown once. */
  secret(): string;
}

/** Keeps secret answers at rest, and compares decisions without storing them in the clear. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
  mac(text: string): string;
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

export interface EventFilter {
  sessionId?: string | undefined;
  runId?: string | undefined;
}

export interface Reader {
  session(id: string): Promise<Session | undefined>;
  sessions(filter: { id?: string | undefined; status?: string | undefined }, page: Page): Promise<Placed<Session>[]>;
  run(id: string): Promise<Run | undefined>;
  runs(filter: { sessionId?: string | undefined; status?: RunStatus | undefined }, page: Page): Promise<Placed<Run>[]>;
  /** The run that carries an answer on, and the run that asks a clarification. */
  carryingRun(askId: string): Promise<Run | undefined>;
  clarificationRun(requestId: string): Promise<Run | undefined>;
  /** In the order they will get the slot. */
  queuedRuns(sessionId: string): Promise<Run[]>;
  ask(id: string): Promise<Ask | undefined>;
  asks(filter: AskFilter, page: Page): Promise<Placed<Ask>[]>;
  pendingOfRun(runId: string): Promise<PendingAsk[]>;
  /** How many asks of each kind are pending, without reading them. */
  pendingKinds(runId: string): Promise<{ approvals: number; questions: number }>;
  dueOfRun(runId: string): Promise<EndedAsk[]>;
  /** The oldest ended form or restart ask that no run carries on yet. */
  toHandOver(runId: string): Promise<EndedAsk | undefined>;
  /** What a dispatch left for the next one when it raised this ask, as JSON text. */
  partialState(askId: string): Promise<string | undefined>;
  /** The form a subtask displayed. */
  formOf(sessionId: string, subtaskId: string): Promise<string | undefined>;
  outputs(runId: string): Promise<Output[]>;
  events(filter: EventFilter, after: number, limit: number): Promise<Event[]>;
  lastSeq(): Promise<number>;
  message(id: string): Promise<Message | undefined>;
  messages(sessionId: string, which: 'open' | 'dead', page: Page): Promise<Placed<Message>[]>;
  items(sessionId: string, page: Page): Promise<Placed<Item>[]>;
  token(id: string): Promise<Token | undefined>;
  tokenByHash(hash: string): Promise<Token | undefined>;
  tokens(page: Page): Promise<Placed<Token>[]>;
  signInLink(hash: string): Promise<SignInLink | undefined>;
  draft(askId: string): Promise<Draft | undefined>;
  /** Pending asks and queued clarifications whose deadline has passed, oldest deadline first. */
  overdueAsks(now: number, limit: number): Promise<PendingAsk[]>;
  overdueRuns(now: number, limit: number): Promise<Run[]>;
  nextDeadline(): Promise<number | undefined>;
  /** Runs that a worker with these labels may take: first in a free queue, or running with nobody at the wheel. */
  claimable(agents: readonly string[], labels: readonly string[], limit: number): Promise<Run[]>;
  leasedBy(workerId: string): Promise<Run[]>;
  lapsedLeases(now: number, limit: number): Promise<Run[]>;
  staleMessages(before: number, limit: number): Promise<Message[]>;
  counts(): Promise<{ pendingAsks: number; dueDeliveries: number; activeSessions: number }>;
}

/** A record read under the lock of its session. */
export interface Locked<T> {
  session: Session;
  value: T;
}

export interface Tx extends Reader {
  /** Reads the session and keeps every other writer off it until the unit has committed. */
  lockSession(id: string): Promise<Session | undefined>;
  lockRun(id: string): Promise<Locked<Run> | undefined>;
  lockAsk(id: string): Promise<Locked<Ask> | undefined>;
  /** Keeps twins of the same idempotency key waiting, then says what the key already stands for. */
  lockKey(scope: string): Promise<StoredResponse | undefined>;
  insertSession(session: Session): Promise<void>;
  updateSession(session: Session): Promise<void>;
  insertRun(run: Run): Promise<void>;
  updateRun(run: Run): Promise<void>;
  insertAsk(ask: PendingAsk): Promise<void>;
  /** Compare-and-set on `pending`: false when somebody else ended it first. */
  endAsk(ask: EndedAsk): Promise<boolean>;
  updateDelivery(ask: EndedAsk): Promise<void>;
  insertPartialState(askId: string, state: string): Promise<void>;
  /** False when this subtask has displayed a form before. */
  insertForm(sessionId: string, subtaskId: string, askId: string): Promise<boolean>;
  /** Links the drafts to the session's head, which it moves; the caller saves the session. */
  appendEvents(session: Session, drafts: readonly EventDraft[], at: number): Promise<void>;
  insertOutput(output: Output): Promise<boolean>;
  insertItem(item: Item): Promise<void>;
  insertMessage(message: Message): Promise<boolean>;
  updateMessage(message: Message): Promise<void>;
  insertToken(token: Token): Promise<void>;
  updateToken(token: Token): Promise<void>;
  insertSignInLink(link: SignInLink): Promise<void>;
  useSignInLink(hash: string, now: number): Promise<void>;
  forgetSignInLinks(before: number): Promise<number>;
  saveDraft(draft: Draft): Promise<void>;
  deleteDraft(askId: string): Promise<boolean>;
  /** Drafts of answered asks, and those nobody has touched since the instant. */
  forgetDrafts(before: number): Promise<number>;
  insertResponse(response: StoredResponse): Promise<void>;
  /** Keeps the first value ever given under a name, and returns it. */
  keepFact(name: string, value: string): Promise<string>;
  forgetResponses(before: number): Promise<number>;
}

export interface Store {
  /** Runs the unit on one consistent snapshot of what is committed. */
  read<T>(unit: (reader: Reader) => Promise<T>): Promise<T>;
  /** Runs the unit in a transaction. Resolves or rejects only after the commit that holds it is on disk. */
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T>;
  /** An advisory wake-up after commits that appended events. A lost one costs milliseconds, never an event. */
  onCommit(wake: () => void): void;
  close(): Promise<void>;
}

export interface Ports {
  store: Store;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  sealer: Sealer;
}
