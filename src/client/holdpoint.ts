// Exports the public entry of the package: `await holdpoint.ask({...})` from any program. Creates the session and the
// run that an ask needs, waits for its end, and closes them again. With an `id` an ask survives the program: asked
// again after a crash it is the same ask with the same answer.
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { CHOSEN_ID } from '../core/id.ts';
import { type Client, createClient } from './client.ts';
import { HoldpointProblem } from './http.ts';
import { findToken, serverUrl } from './local.ts';
import type { ApprovalOutcome, AskOutcome } from './outcome.ts';
import { type Outcome, type OutcomeOptions, type Pending, readOutcome } from './read-outcome.ts';
import type { ApproveSpec, AskSpec } from './spec.ts';
import { Waits } from './waits.ts';
import {
  type Blocking,
  openOwnWork,
  openWork,
  type Raised,
  type StartSpec,
  type Unblocking,
  type Work,
} from './work.ts';

export type { ApprovalRequest, AskView, EventView, RunView, SessionView, UserQuestionRequest } from '../core/views.ts';
export { type Client, createClient, every, type Listed } from './client.ts';
export type { CommentHandler } from './comment-reader.ts';
export {
  DeferredExit,
  exitIfDeferred,
  isDeferred,
  type NextMessage,
  nextMessage,
  type ToolCall,
  type ToolDone,
} from './deferring.ts';
export { HoldpointProblem, HoldpointUnreachable } from './http.ts';
export type { Answered, ApprovalOutcome, AskOutcome, GivenAnswer, Unanswered } from './outcome.ts';
export type { Outcome, OutcomeOptions, Pending } from './read-outcome.ts';
export type { ApproveSpec, AskSpec } from './spec.ts';
export type { Raised, StartSpec, Work } from './work.ts';

export interface ConnectOptions {
  /** Where the server is; HOLDPOINT_URL, else this machine's default port. */
  url?: string | undefined;
  /** HOLDPOINT_TOKEN, else the operator's token in the state folder. */
  token?: string | undefined;
  surface?: string | undefined;
  retryForMs?: number | undefined;
  /** Never open a stream: each ask polls by itself. For places where streams do not get through. */
  polling?: boolean | undefined;
}

type Origin = Pick<StartSpec, 'title' | 'work_folder'>;
type Once<S> = Blocking<S> & Origin;
/** A question, or an approval: the spec with a `tool_name`. */
export type RaiseSpec = (Unblocking<AskSpec> | Unblocking<ApproveSpec>) & Origin;

export interface Holdpoint {
  ask(spec: Once<AskSpec>): Promise<AskOutcome>;
  approve(spec: Once<ApproveSpec>): Promise<ApprovalOutcome>;
  /** Stores a question or an approval and returns at once. The same `id` again is the same ask. */
  raise(spec: RaiseSpec): Promise<Raised>;
  /**
   * How an ask ended, or that it is pending. Reading an outcome acknowledges it; it may be read again. Only `allowed: true`
   * allows, and exactly `input`.
   */
  outcomeOf(askId: string, options?: OutcomeOptions): Promise<Outcome | Pending>;
  /** A longer piece of work with several asks, in one session and run. */
  start(spec?: StartSpec): Promise<Work>;
  readonly api: Client;
  /** How many asks of this program are waiting. */
  readonly parked: number;
  /** Stops waiting. What was asked stays open on the server. */
  close(): void;
}

export function connect(options: ConnectOptions = {}): Holdpoint {
  const url = options.url ?? serverUrl(process.env);
  const token = options.token ?? findToken(process.env, ['operator.token']);
  const api = createClient({ url, token, surface: options.surface, retryForMs: options.retryForMs });
  const waits = new Waits(api.http, { polling: options.polling });
  let own: Promise<Work> | undefined;

  /** A token bound to one session has one run for all its asks. */
  async function open(spec: StartSpec, once: boolean): Promise<{ work: Work; isBound: boolean }> {
    try {
      return { work: await openWork(api, waits, spec, once), isBound: false };
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.code !== 'scope_forbidden') throw error;
      own ??= openOwnWork(api, waits, spec.text ?? '');
      return { work: await own, isBound: true };
    }
  }

  async function once<T>(
    id: string | undefined,
    spec: StartSpec,
    ask: (work: Work) => Promise<T>,
    staysOpen = false,
  ): Promise<T> {
    const wanted = { ...spec, title: spec.title ?? programName(), session_id: sessionFor(id) };
    const { work, isBound } = await open(wanted, id !== undefined);
    try {
      const outcome = await ask(work);
      if (!isBound && !staysOpen) await closeOwn(work);
      return outcome;
    } catch (error) {
      if (id === undefined && !isBound && error instanceof HoldpointProblem) await giveUp(work, error);
      throw error;
    }
  }

  /** The server did not take the ask: what was made for it goes too. One with an id may be asked again in other words. */
  async function giveUp(work: Work, problem: HoldpointProblem): Promise<void> {
    await work.fail(problem.detail).catch(() => {});
    await api.sessions.end(work.session_id, { reason: problem.detail }).catch(() => {});
  }

  /** The ask is over and acknowledged: so are the run and the session made for it. An expired one took its run along. */
  async function closeOwn({ session_id, run_id }: Pick<Work, 'session_id' | 'run_id'>): Promise<void> {
    try {
      await api.runs.complete(run_id);
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.code !== 'run_state_conflict') throw error;
    }
    await api.sessions.end(session_id, { reason: 'the ask is over' });
  }

  async function outcomeOf(askId: string, options: OutcomeOptions = {}): Promise<Outcome | Pending> {
    const { ask, outcome } = await readOutcome(api, waits, askId, options);
    if (!outcome) return { ask_id: ask.ask_id, status: 'pending' };
    // The session of a longer piece of work ends with that work; one that was made for the ask has the ask's own name.
    if (ask.session_id.startsWith(OWN_SESSION)) await closeOwn(ask).catch(ifNotForbidden);
    return outcome;
  }

  return {
    api,
    ask: ({ title, work_folder, ...spec }) =>
      once(spec.id, { text: textOf(spec), title, work_folder }, (work) => work.ask(spec)),
    approve: ({ title, work_folder, ...spec }) =>
      once(spec.id, { text: textOf(spec), title, work_folder }, (work) => work.approve(spec)),
    raise: ({ title, work_folder, ...spec }) =>
      once(spec.id, { text: textOf(spec), title, work_folder }, (work) => work.raise(spec), true),
    outcomeOf,
    start: async (spec = {}) => (await open({ title: programName(), ...spec }, false)).work,
    get parked() {
      return waits.parked;
    },
    close: () => waits.close(),
  };
}

const programName = (): string => basename(process.argv[1] ?? 'program');

/** What the run is about, for the lists that show it. */
function textOf(spec: Unblocking<AskSpec> | Unblocking<ApproveSpec>): string {
  if ('tool_name' in spec) return `May I use ${spec.tool_name}?`;
  return spec.questions ? (spec.questions[0]?.question ?? '') : spec.question;
}

/** A token of that session alone may not end it. */
function ifNotForbidden(error: unknown): void {
  if (!(error instanceof HoldpointProblem) || error.code !== 'scope_forbidden') throw error;
}

const OWN_SESSION = 'ask:';

/** An ask of its own has a session of its own, found again by the ask's id. */
function sessionFor(id: string | undefined): string {
  if (id === undefined) return `${OWN_SESSION}${crypto.randomUUID()}`;
  const named = `${OWN_SESSION}${id}`;
  return CHOSEN_ID.test(named) ? named : `${OWN_SESSION}${hash('sha256', id, 'hex').slice(0, 40)}`;
}

let byDefault: Holdpoint | undefined;
const connected = (): Holdpoint => {
  byDefault ??= connect();
  return byDefault;
};

/** With the server and token of this machine: `import * as holdpoint from 'holdpoint'`. */
export const ask: Holdpoint['ask'] = (spec) => connected().ask(spec);
export const approve: Holdpoint['approve'] = (spec) => connected().approve(spec);
export const start: Holdpoint['start'] = (spec) => connected().start(spec);
export const raise: Holdpoint['raise'] = (spec) => connected().raise(spec);
export const outcomeOf: Holdpoint['outcomeOf'] = (askId, options) => connected().outcomeOf(askId, options);
