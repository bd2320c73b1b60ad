// Stores a conversation between a person and their own agent as a session with one run per turn that asked something. Finds,
// starts and ends both, and lists asks that are not settled. State is on the server only, so any process may continue what
// another began; no worker claims these runs.
import { type AskOptions, askApproval, askQuestion } from '../../client/asking.ts';
import { type Client, every } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { approvalBody, questionBody } from '../../client/spec.ts';
import type { Waits } from '../../client/waits.ts';
import { ATTACHED_LABEL, EXTERNAL_AGENT, isAttached } from '../../core/session.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import type { AskView, RunView, SessionView } from '../../core/views.ts';
import type { AgentContext, HookCall } from '../agent.ts';
import { withdrawAsk } from './pending-asks.ts';

/** The attached conversations of one agent: all of them, or those with a label. */
export interface AttachedAgent {
  agent: string;
  /** Session ids are this, followed by the agent's own id of the conversation. */
  sessionPrefix: string;
  label?: string | undefined;
}

export interface Conversation extends AttachedAgent {
  id: string;
  folder?: string | undefined;
  title?: string | undefined;
}

/** With an `id`: the run of that turn, and of no other. Without: the active run. `text`: what a new run is for. */
type Turn = { id?: string; text?: string };

export type AttachedRun = Pick<
  AgentContext,
  'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'withdraw' | 'output' | 'session' | 'run'
>;

/** Another call had the id before: the ask needs a new id. */
export class CallIdTaken extends Error {}
/** A session of that id exists, and is not of this agent. */
export class SessionTaken extends Error {}

/** How a run ends that is not completed. */
export type Failure = NonNullable<Parameters<Client['runs']['fail']>[1]>;

const TITLE_CHARACTERS = 200;
const SESSION_ID_CHARACTERS = 128;

export const sessionIdOf = ({ sessionPrefix, id }: Pick<Conversation, 'sessionPrefix' | 'id'>): string =>
  `${sessionPrefix}${id}`.slice(0, SESSION_ID_CHARACTERS);

export async function openAttachedRun(
  client: Client,
  waits: Waits,
  conversation: Conversation,
  turn: Turn,
  signal?: AbortSignal,
): Promise<AttachedRun> {
  const session = await openSession(client, conversation);
  const run = await (turn.id === undefined
    ? activeRun(client, session, conversation, turn)
    : runOfTurn(client, session, conversation, turn.id, signal));
  return {
    session,
    run,
    ...askingIn(client, waits, session, run.run_id, signal),
    ...settling(client, signal),
    output: async (text, { id: output_id, type, data } = {}) =>
      void (await client.runs.output(run.run_id, { output_id, type, text, data })),
  };
}

/** Asks in a run of the session. */
export function askingIn(
  client: Client,
  waits: Waits,
  { work_folder: workFolder }: SessionView,
  runId: string,
  signal?: AbortSignal,
): Pick<AgentContext, 'ask' | 'approve'> {
  const asking = { calls: client, waits, runId, workFolder, signal };

  /** Some models reuse call ids: an ask that is settled, or has another payload, belongs to an earlier call. */
  async function once<T>(
    id: string,
    options: AskOptions | undefined,
    ask: (options: AskOptions) => Promise<T>,
  ): Promise<T> {
    const taken = () => new CallIdTaken(`another call has the id ${id}, and was decided before`);
    const check = (stored: AskView) => {
      const { state } = stored.delivery;
      if (state === 'delivered' || state === 'undeliverable') throw taken();
      options?.check?.(stored);
    };
    return ask({ ...options, check }).catch((error: unknown) => {
      throw error instanceof HoldpointProblem && error.code === 'ask_identity_conflict' ? taken() : error;
    });
  }

  return {
    ask: (spec, options) =>
      once(spec.id, options, (checked) => askQuestion(asking, questionBody(spec, spec.id), checked)),
    approve: (spec, options) =>
      once(spec.id, options, (checked) => askApproval(asking, approvalBody(spec, spec.id), checked)),
  };
}

/** Ends asks through the API as an agent's context does. */
export const settling = (client: Client, signal?: AbortSignal) => ({
  acknowledge: async (askId: string) => void (await client.asks.delivered(askId, {}, { signal })),
  markUndeliverable: async (askId: string, reason: string) =>
    void (await client.asks.undeliverable(askId, { reason }, { signal })),
  withdraw: async (askId: string, justification?: string) =>
    void (await client.asks.withdraw(askId, { justification })),
});

/** The session of a conversation that has asked before; undefined where there is none, or it is another agent's. */
export async function attachedSession(client: Client, conversation: Conversation): Promise<SessionView | undefined> {
  const session = await client.sessions.get(sessionIdOf(conversation)).catch((error: unknown) => {
    if (error instanceof HoldpointProblem && error.status === 404) return undefined;
    throw error;
  });
  return session && isOf(conversation.agent, session) ? session : undefined;
}

async function openSession(client: Client, conversation: Conversation): Promise<SessionView> {
  const { agent, folder, title, label } = conversation;
  const session_id = sessionIdOf(conversation);
  const create = () =>
    client.sessions.create({
      session_id,
      agent: EXTERNAL_AGENT,
      agent_id: agent,
      labels: label === undefined ? [ATTACHED_LABEL] : [ATTACHED_LABEL, label],
      title: title && truncate(storable(title), TITLE_CHARACTERS),
      ...(folder && { work_folder: folder }),
    });
  const find = () => client.sessions.get(session_id).catch(() => undefined);
  // Of two calls that create it at the same moment, each with its own folder, one is refused and finds it then.
  const refused = async (error: unknown) => (await find()) ?? Promise.reject(error);
  const session = (await find()) ?? (await create().catch(refused));
  if (!isOf(agent, session)) throw new SessionTaken(`the session ${session_id} was made for something else`);
  return session;
}

/** Processes that find no run active in the same state of the session start the same one, whatever text they have for it. */
async function activeRun(client: Client, session: SessionView, { agent }: Conversation, turn: Turn): Promise<RunView> {
  const { session_id, active_run_id, title = '', updated_at_ms } = session;
  if (active_run_id !== undefined) return client.runs.get(active_run_id);
  const body = { input: { text: turn.text || title }, source: agent };
  try {
    return await client.runs.start(session_id, body, { idempotencyKey: `active:${updated_at_ms}` });
  } catch (error) {
    const { active_run_id: other } = await client.sessions.get(session_id);
    if (other === undefined) throw error;
    return client.runs.get(other);
  }
}

/** Another run follows where that of the turn was ended here while the turn went on. */
async function runOfTurn(
  client: Client,
  { session_id, title, work_folder }: SessionView,
  { agent }: Conversation,
  turnId: string,
  signal: AbortSignal | undefined,
): Promise<RunView> {
  const text = title || `${agent} in ${work_folder ?? 'a folder that it does not say'}`;
  for (let count = 1; ; count++) {
    const idempotencyKey = count === 1 ? `turn:${turnId}` : `turn:${turnId}~${count}`;
    const { run_id } = await client.runs.start(
      session_id,
      { input: { text }, source: agent },
      { idempotencyKey, signal },
    );
    const run = await client.runs.get(run_id);
    if (run.finished_at_ms !== undefined) continue;
    if (run.status !== 'queued') return run;
    // A turn whose end was not observed is over when the next one asks.
    const { active_run_id: before } = await client.sessions.get(session_id);
    if (before !== undefined && before !== run_id) await endUnobserved(client, before);
    return client.runs.get(run_id);
  }
}

async function endUnobserved(client: Client, runId: string): Promise<void> {
  const { status } = await client.runs.get(runId);
  const isHeld = status.startsWith('waiting');
  await endRun(client, runId, isHeld ? { error: 'the agent went on without an answer' } : undefined);
}

/** Without a failure it is completed, which the server refuses while one of its asks is pending. */
export async function endRun(client: Client, runId: string, failure?: Failure): Promise<void> {
  const ended = failure === undefined ? client.runs.complete(runId, {}) : client.runs.fail(runId, failure);
  await ended.catch((error: unknown) => {
    // A refusal: another process has ended it meanwhile.
    if (!(error instanceof HoldpointProblem)) throw error;
  });
}

/** Asks that are pending, or have ended and are not delivered. */
export async function unsettledAsks(
  client: Client,
  of: { session_id: string } | { agent: typeof EXTERNAL_AGENT },
): Promise<AskView[]> {
  const found = new Map<string, AskView>();
  // In this order: one that ends between the two lists is in both, not in neither.
  for (const unsettled of [{ status: 'pending' }, { delivery: 'due' }] as const)
    for await (const ask of every((page) => client.asks.list({ ...of, ...unsettled, limit: 500, ...page })))
      found.set(ask.ask_id, ask);
  return [...found.values()];
}

/** The same for every conversation of one agent. */
export async function unsettledAsksOf(
  client: Client,
  { agent, sessionPrefix, label }: AttachedAgent,
): Promise<AskView[]> {
  const all = await unsettledAsks(client, { agent: EXTERNAL_AGENT });
  const asks = all.filter(({ session_id }) => session_id.startsWith(sessionPrefix));
  const ours = new Set<string>();
  for (const id of new Set(asks.map(({ session_id }) => session_id))) {
    const session = await client.sessions.get(id);
    if (isOf(agent, session) && (label === undefined || session.labels.includes(label))) ours.add(id);
  }
  return asks.filter(({ session_id }) => ours.has(session_id));
}

/** A session id proves nothing: any client may create a session with it. */
const isOf = (agent: string, session: SessionView): boolean => isAttached(session) && session.agent_id === agent;

/** Withdraws the ask of a hook process that was killed. */
export async function withdrawAbandoned(client: Client, { run_id, call_id }: HookCall, reason: string): Promise<void> {
  for await (const ask of every((page) => client.asks.list({ run_id, ...page })))
    if (ask.tool_call_id === call_id && (ask.status === 'pending' || ask.delivery.state === 'due'))
      await withdrawAsk(settling(client), ask.ask_id, reason);
}

/** Ends asks that no process can carry back to their agent any more, and the runs that asked them. */
export async function endLost(client: Client, asks: readonly AskView[], why: string, failure: Failure): Promise<void> {
  for (const run_id of new Set(asks.map((ask) => ask.run_id))) await endRun(client, run_id, failure);
  for (const { ask_id } of asks) await withdrawAsk(settling(client), ask_id, why);
}
