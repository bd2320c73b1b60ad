// The conversations that people have with their own Claude Code, as sessions of Holdpoint: one session for each, one run
// for each turn in which it asked something. Owns when they begin and end. What an earlier life of the server left open
// is ended before anything new is heard of a conversation; what nothing is heard of any more ends too.
import { type Client, every } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { ATTACHED_LABEL, EXTERNAL_AGENT } from '../../core/session.ts';
import type { RunView, SessionView } from '../../core/views.ts';
import { letGo } from '../kit/attached-session.ts';
import { fittingText } from '../kit/fitting-text.ts';
import { createCalls, type Request } from './attached-calls.ts';

/** One conversation, as long as this server hears of it. */
export interface Attached<H extends Request> {
  readonly sessionId: string;
  prompt: string;
  readonly calls: ReturnType<typeof createCalls<H>>;
  /** The requests for permission that wait for somebody. */
  readonly held: Set<H>;
  /** The turn of the session itself is over; sub-agents may still be at work, and ask. */
  isStopped: boolean;
  /** What must not happen twice at once: making the session, beginning and ending a run. */
  turn: Promise<unknown>;
  quiet?: ReturnType<typeof setTimeout>;
  /** How often in a row it was quiet. */
  silences: number;
}

interface Ending {
  complete(): Promise<unknown>;
  fail(error: string): Promise<unknown>;
  /** By the person at the terminal. */
  interrupt(error: string): Promise<unknown>;
  lose(error: string): Promise<unknown>;
}

const PREFIX = 'claude.';
const AGENT = 'claude';
const TITLE_CHARACTERS = 80;
const INPUT_CHARACTERS = 100_000;
const OPEN = ['running', 'waiting_for_approval', 'waiting_for_user_question'] as const;
/** A turn that is interrupted while the model thinks is told of by nobody, and neither is a process that is killed. */
const QUIET_MS = 30 * 60_000;
/** A call says nothing while it goes on, for a day at most. */
const QUIET_CALLS = 48;
const AT_TERMINAL = 'Holdpoint was restarted, and Claude Code goes on asking at its terminal';
const QUIET = 'nothing more was heard of Claude Code';

export function createConversations<H extends Request>(client: Client, { quietMs = QUIET_MS } = {}) {
  const known = new Map<string, Promise<Attached<H>>>();
  const open = new Map<string, Attached<H>>();

  /** Whoever comes at the same time waits for the same beginning. */
  async function of(id: string): Promise<Attached<H>> {
    const begun = known.get(id) ?? begin(id);
    known.set(id, begun);
    const attached = await begun;
    attached.silences = 0;
    listen(id, attached);
    return attached;
  }

  function listen(id: string, attached: Attached<H>): void {
    clearTimeout(attached.quiet);
    attached.quiet = setTimeout(() => void silence(id, attached), quietMs).unref();
  }

  async function begin(id: string): Promise<Attached<H>> {
    try {
      const attached: Attached<H> = {
        sessionId: `${PREFIX}${id}`,
        prompt: '',
        calls: createCalls<H>(),
        held: new Set(),
        isStopped: false,
        turn: Promise.resolve(),
        silences: 0,
      };
      const left = (await sessionOf(attached.sessionId))?.active_run_id;
      if (left !== undefined) await lose(left);
      open.set(id, attached);
      return attached;
    } catch (error) {
      known.delete(id);
      throw error;
    }
  }

  function forget(id: string): void {
    clearTimeout(open.get(id)?.quiet);
    open.delete(id);
    known.delete(id);
  }

  async function silence(id: string, attached: Attached<H>): Promise<void> {
    if (open.get(id) !== attached) return;
    // While a person is waited for it has nothing to say: its silence begins after that.
    attached.silences = attached.held.size > 0 ? 0 : attached.silences + 1;
    const isAtWork = attached.calls.isLive() && attached.silences < QUIET_CALLS;
    if (attached.held.size > 0 || isAtWork) return listen(id, attached);
    forget(id);
    await end(attached, (run) => run.lose(QUIET)).catch(() => {});
  }

  /** The run that asks: the one at work, or a new one with what the person had typed. */
  const place = (attached: Attached<H>, cwd: string) =>
    inTurn(attached, async () => {
      const session = (await sessionOf(attached.sessionId)) ?? (await create(attached, cwd));
      const { session_id, active_run_id, work_folder } = session;
      const input = { text: fittingText(attached.prompt, INPUT_CHARACTERS) || session.title || '' };
      const runId = active_run_id ?? (await client.runs.start(session_id, { input, source: AGENT })).run_id;
      return { runId, workFolder: work_folder };
    });

  const create = ({ sessionId, prompt }: Attached<H>, work_folder: string) =>
    client.sessions.create({
      session_id: sessionId,
      agent: EXTERNAL_AGENT,
      agent_id: AGENT,
      labels: [ATTACHED_LABEL],
      title: fittingText(prompt.trim() || `Claude Code in ${work_folder}`, TITLE_CHARACTERS),
      work_folder,
    });

  /** The turn is over: so is the run that asked in it, unless a sub-agent still waits in it. */
  const end = (attached: Attached<H>, how: (run: Ending) => Promise<unknown>) =>
    inTurn(attached, async () => {
      if (attached.held.size > 0) return;
      const runId = (await sessionOf(attached.sessionId))?.active_run_id;
      if (runId === undefined) return;
      await how({
        complete: () => client.runs.complete(runId),
        fail: (error) => client.runs.fail(runId, { error }),
        interrupt: (error) => client.runs.fail(runId, { error, interrupted_by: 'person' }),
        lose: (error) => client.runs.fail(runId, { error, interrupted_by: 'worker_restart' }),
      }).catch(ignoreRefusal);
    });

  function inTurn<T>(attached: Attached<H>, work: () => Promise<T>): Promise<T> {
    const done = attached.turn.then(work);
    attached.turn = done.catch(() => {});
    return done;
  }

  /** One of that name that is not ours is left alone: the server will not make another, and says so. */
  async function sessionOf(sessionId: string): Promise<SessionView | undefined> {
    try {
      const session = await client.sessions.get(sessionId);
      return session.agent === EXTERNAL_AGENT && session.agent_id === AGENT ? session : undefined;
    } catch (error) {
      if (error instanceof HoldpointProblem && error.status === 404) return undefined;
      throw error;
    }
  }

  /** No hook waits for what was asked: its end reaches nobody, and whoever answers late is told where it is asked now. */
  async function lose(runId: string): Promise<void> {
    const open = await client.asks.list({ run_id: runId, status: 'pending', limit: 500 });
    await client.runs.fail(runId, { interrupted_by: 'worker_restart' }).catch(ignoreRefusal);
    for (const { ask_id } of open.items) await letGo(client, ask_id, AT_TERMINAL);
  }

  /** At the start of the only server there is: whatever conversation was at work has lost its door. */
  async function recover(): Promise<void> {
    for (const status of OPEN)
      for await (const run of every((page) => client.runs.list({ ...page, status, limit: 500 })))
        if (isOurs(run)) await lose(run.run_id);
  }

  /** A name is not enough: others may call their sessions as they like. */
  const isOurs = ({ session_id, agent_id, request }: RunView): boolean =>
    session_id.startsWith(PREFIX) && agent_id === AGENT && request.source === AGENT;

  /** Somebody else has ended it meanwhile. */
  function ignoreRefusal(error: unknown): void {
    if (!(error instanceof HoldpointProblem)) throw error;
  }

  function close(): void {
    for (const id of [...open.keys()]) forget(id);
  }

  return { of, forget, place, end, recover, close, all: () => [...open.values()] };
}
