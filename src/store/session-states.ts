// Holds what the store knows of a session in memory: its row with its version, the runs and asks that are at hand, and
// whether those are all open ones. A state may be older than the database where other servers write: the commit compares
// the version. States of recently used sessions are kept, those of sessions that other servers write are not.
import type { Ask } from '../core/ask.ts';
import { isTerminal, type Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { readable } from './row-reads.ts';
import { SESSION, type Tables, toAsk, toRun } from './tables.ts';

export interface SessionState {
  /** Moves with every change of the session, its runs or its asks. */
  version: number;
  session: Session;
  /** In order of arrival. */
  runs: Map<string, Run>;
  asks: Map<string, Ask>;
  /** Whether every queued run, the active run, every pending ask and every answer that a run is to carry is here. */
  isComplete: boolean;
}

/** The rows of a state: its session's, and in order of arrival those of its runs and asks. */
export interface SessionRows {
  session: Tables['sessions'] & { version: number };
  is_small: boolean;
  runs: Tables['runs'][];
  asks: Tables['asks'][];
}

/** A damaged row is left out, so that only a unit that wants it is refused. */
export function stateOf({ session, is_small, runs, asks }: SessionRows): SessionState {
  let isComplete = is_small;
  const all = <Row, T extends Run | Ask>(rows: Row[], map: (row: Row) => T): Map<string, T> => {
    const found = new Map<string, T>();
    for (const row of rows)
      try {
        const record = map(row);
        found.set(record.id, record);
      } catch {
        isComplete = false;
      }
    return found;
  };
  const known = { runs: all(runs, toRun), asks: all(asks, toAsk) };
  return { version: session.version, session: readable(session, SESSION.read), ...known, isComplete };
}

/** A session with more open runs or asks than this is not complete. */
export const MOST_OPEN = 16;
/** Nor is one whose pending asks have more characters than this. */
export const MOST_CHARACTERS = 64 * 1024;

const MOST_STATES = 2000;
/** Answers that are yet to be delivered: the agent soon says that it has them. */
const MOST_ANSWERED = 8;
/** After this many commits without one of another server in between, a session is kept again. */
const QUIET_COMMITS = 3;

export class SessionStates {
  readonly #states = new Map<string, SessionState>();
  /** The session of each run and ask in a state. */
  readonly #owners = new Map<string, string>();
  /** Sessions that other servers write, with the version that this server left and how often it found that again. */
  readonly #shared = new Map<string, { version: number; quiet: number }>();

  get(sessionId: string): SessionState | undefined {
    return this.#states.get(sessionId);
  }

  ownerOf(id: string): string | undefined {
    return this.#owners.get(id);
  }

  /** A state was read from the database. */
  loaded({ session, version }: SessionState): void {
    const shared = this.#shared.get(session.id);
    if (shared) shared.quiet = version === shared.version ? shared.quiet + 1 : 0;
  }

  /** After a commit that left the session in this state. */
  keep(state: SessionState): void {
    const { id } = state.session;
    const shared = this.#shared.get(id);
    if (shared) {
      shared.version = state.version;
      if (shared.quiet < QUIET_COMMITS) return;
      this.#shared.delete(id);
    }
    if (this.#states.get(id) !== state) this.drop(id);
    for (const one of prune(state)) this.#owners.delete(one);
    if (sizeOf(state) > MOST_CHARACTERS) {
      this.drop(id);
      return;
    }
    // The one that was used last is the last.
    this.#states.delete(id);
    this.#states.set(id, state);
    for (const one of state.runs.keys()) this.#owners.set(one, id);
    for (const one of state.asks.keys()) this.#owners.set(one, id);
    if (this.#states.size > MOST_STATES) this.#dropOldest();
  }

  /** Another server has written the session. */
  share(sessionId: string): void {
    this.drop(sessionId);
    this.#shared.delete(sessionId);
    this.#shared.set(sessionId, { version: -1, quiet: 0 });
    if (this.#shared.size <= MOST_STATES) return;
    const [oldest] = this.#shared.keys();
    if (oldest !== undefined) this.#shared.delete(oldest);
  }

  drop(sessionId: string): void {
    const state = this.#states.get(sessionId);
    if (!state) return;
    this.#states.delete(sessionId);
    for (const one of state.runs.keys()) this.#owners.delete(one);
    for (const one of state.asks.keys()) this.#owners.delete(one);
  }

  #dropOldest(): void {
    const [oldest] = this.#states.keys();
    if (oldest !== undefined) this.drop(oldest);
  }
}

export const isCarriedOn = (ask: Ask): boolean =>
  ask.status !== 'pending' && ask.delivery.state === 'due' && (ask.mode === 'form' || ask.mode === 'restart');

/**
 * Ended runs, delivered answers and all but the newest others are read from the database when they are wanted again.
 * Returns their ids.
 */
function prune(state: SessionState): string[] {
  const pruned: string[] = [];
  for (const run of state.runs.values()) if (isTerminal(run.status)) pruned.push(run.id);
  const answered: string[] = [];
  for (const ask of state.asks.values()) {
    if (ask.status === 'pending') continue;
    if (ask.delivery.state !== 'due') pruned.push(ask.id);
    else if (!isCarriedOn(ask)) answered.push(ask.id);
  }
  if (answered.length > MOST_ANSWERED) pruned.push(...answered.slice(0, -MOST_ANSWERED));
  for (const id of pruned) if (!state.runs.delete(id)) state.asks.delete(id);
  return pruned;
}

function sizeOf({ session, runs, asks }: SessionState): number {
  let size = (session.lastMessage?.length ?? 0) + knownSize(session.rules);
  for (const run of runs.values()) size += knownSize(run.input);
  for (const ask of asks.values()) size += knownSize(ask.content);
  return size;
}

/** Copies of a record share these values, which do not change. */
const sizes = new WeakMap<object, number>();

function knownSize(value: object | undefined): number {
  if (!value) return 0;
  let size = sizes.get(value);
  if (size === undefined) {
    size = textSize(value);
    sizes.set(value, size);
  }
  return size;
}

/** The characters of all texts in a value; stops counting once they are too many. */
function textSize(value: unknown, before = 0): number {
  if (typeof value === 'string') return before + value.length;
  if (typeof value !== 'object' || value === null) return before + 1;
  let size = before;
  for (const key of Object.keys(value)) {
    size = textSize((value as Record<string, unknown>)[key], size);
    if (size > MOST_CHARACTERS) break;
  }
  return size;
}
