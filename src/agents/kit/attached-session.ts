// A conversation that a person has with their own agent, as a session of Holdpoint: one session for each conversation,
// one run for each turn in which it asked something. Owns their names and their ends; knows no agent. The agent is the
// person's, so no worker claims these runs.
import { type AskOptions, askApproval, askQuestion } from '../../client/asking.ts';
import { type Client, every } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { type ApproveSpec, type AskSpec, approvalBody, questionBody } from '../../client/spec.ts';
import type { Waits } from '../../client/waits.ts';
import { ATTACHED_LABEL, EXTERNAL_AGENT, isAttached } from '../../core/session.ts';
import type { AskView, RunView, SessionView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { fittingText } from './fitting-text.ts';

export interface Conversation {
  /** The agent's name, and its own id of the conversation. */
  agent: string;
  id: string;
  folder?: string | undefined;
  title?: string | undefined;
  /** A label that names the place it is attached from. */
  place: string;
}

export type AttachedRun = Pick<
  AgentContext,
  'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'withdraw' | 'output' | 'session' | 'run'
> & {
  end(problem?: string): Promise<void>;
};

/** Another call had the id before; this one is asked under another. */
export class NameTaken extends Error {}

const TITLE_CHARACTERS = 200;
const prefixOf = (agent: string): string => `${agent}-own-`;

/** The agent's own id of the conversation that an ask is of. */
export const conversationOf = (agent: string, { session_id }: AskView): string =>
  session_id.slice(prefixOf(agent).length);

export async function openAttachedRun(
  client: Client,
  waits: Waits,
  conversation: Conversation,
  turnId: string,
  signal: AbortSignal,
): Promise<AttachedRun> {
  const { agent, id, folder, title, place } = conversation;
  const session_id = `${prefixOf(agent)}${id}`.slice(0, 128);
  const made = {
    session_id,
    agent: EXTERNAL_AGENT,
    agent_id: agent,
    labels: [ATTACHED_LABEL, place],
    title: title && fittingText(title, TITLE_CHARACTERS),
  };
  const find = () => client.sessions.get(session_id).catch(() => undefined);
  const make = () => client.sessions.create({ ...made, ...(folder && { work_folder: folder }) });
  // Two calls may begin it at the same moment, each from the folder it works in: one makes it, the other finds it then.
  const session = (await find()) ?? (await make().catch(() => undefined)) ?? (await client.sessions.get(session_id));
  if (!isOf(agent, session)) throw new Error(`the session ${session_id} was made for something else`);
  const text = session.title || `${agent} in ${session.work_folder ?? 'a folder that it does not say'}`;
  const run = await runOfTurn(client, session_id, { input: { text }, source: agent }, turnId, signal);
  const asking = { calls: client, waits, runId: run.run_id, workFolder: session.work_folder, signal };
  /** Some models reuse call ids: an ask that has ended, or has another payload, belongs to an earlier call. */
  async function raised<T>(
    id: string,
    options: AskOptions | undefined,
    ask: (options: AskOptions) => Promise<T>,
  ): Promise<T> {
    const taken = () => new NameTaken(`another call has the id ${id}, and was decided before`);
    const check = ({ delivery: { state } }: AskView) => {
      if (state === 'delivered' || state === 'undeliverable') throw taken();
    };
    return ask({ ...options, check }).catch((error: unknown) => {
      throw error instanceof HoldpointProblem && error.code === 'ask_identity_conflict' ? taken() : error;
    });
  }

  return {
    session,
    run,
    ask: (spec: AskSpec & { id: string }, options?: AskOptions) =>
      raised(spec.id, options, (once) => askQuestion(asking, questionBody(spec, spec.id), once)),
    approve: (spec: ApproveSpec & { id: string }, options?: AskOptions) =>
      raised(spec.id, options, (once) => askApproval(asking, approvalBody(spec, spec.id), once)),
    acknowledge: async (askId) => void (await client.asks.delivered(askId, {}, { signal })),
    markUndeliverable: async (askId, reason) => void (await client.asks.undeliverable(askId, { reason }, { signal })),
    withdraw: async (askId, justification) => void (await client.asks.withdraw(askId, { justification })),
    output: async (text, { id: output_id, type, data } = {}) =>
      void (await client.runs.output(run.run_id, { output_id, type, text, data })),
    async end(problem) {
      if (problem === undefined) await client.runs.complete(run.run_id, {});
      else await client.runs.fail(run.run_id, { error: problem });
    },
  };
}

/** One run for all that a turn asks; another when that one was ended here while the turn went on. */
async function runOfTurn(
  client: Client,
  sessionId: string,
  body: { input: { text: string }; source: string },
  turnId: string,
  signal: AbortSignal,
): Promise<RunView> {
  for (let count = 1; ; count++) {
    const idempotencyKey = count === 1 ? `turn:${turnId}` : `turn:${turnId}~${count}`;
    const { run_id } = await client.runs.start(sessionId, body, { idempotencyKey, signal });
    const run = await client.runs.get(run_id);
    if (run.finished_at_ms !== undefined) continue;
    if (run.status !== 'queued') return run;
    // A turn that was never seen to end, because nobody watched, is over when the next one asks.
    const { active_run_id: before } = await client.sessions.get(sessionId);
    if (before !== undefined && before !== run_id) await endUnseen(client, before);
    return client.runs.get(run_id);
  }
}

async function endUnseen(client: Client, runId: string): Promise<void> {
  const { status } = await client.runs.get(runId);
  if (status.startsWith('waiting')) await client.runs.fail(runId, { error: 'the agent went on without an answer' });
  else await client.runs.complete(runId, {});
}

/** Asks of a hook belong to the process of that hook, which sees to them itself, or left word of them. */
export const HOOK_CALL = 'hook-';

/** What the person's own agent has asked at this place, and nobody has answered or nobody has brought back. */
export async function unsettledAsks(client: Client, agent: string, place: string): Promise<AskView[]> {
  const found: AskView[] = [];
  for (const unsettled of [{ status: 'pending' }, { delivery: 'due' }] as const)
    for await (const ask of every((page) => client.asks.list({ ...unsettled, agent: EXTERNAL_AGENT, ...page })))
      if (ask.session_id.startsWith(prefixOf(agent)) && !ask.tool_call_id.startsWith(HOOK_CALL)) found.push(ask);
  const attached = new Set<string>();
  for (const id of new Set(found.map(({ session_id }) => session_id)))
    if (isAt(place, agent, await client.sessions.get(id))) attached.add(id);
  return found.filter(({ session_id }) => attached.has(session_id));
}

/** Anybody may call a session as they like. */
const isOf = (agent: string, session: SessionView): boolean => isAttached(session) && session.agent_id === agent;

/** How things stand at another place is known only there. */
const isAt = (place: string, agent: string, session: SessionView): boolean =>
  isOf(agent, session) && session.labels.includes(place);

/** The agent has settled it without us: nobody is asked any more, and no answer goes anywhere. Whether the server knows. */
export const letGo = (client: Client, askId: string, why: string): Promise<boolean> =>
  client.asks
    .withdraw(askId, { justification: why })
    .catch(() => client.asks.undeliverable(askId, { reason: why }))
    .then(
      () => true,
      (error: unknown) => error instanceof HoldpointProblem,
    );

/** The agent is gone from this place, and with it whatever it waited for. */
export async function endAttachedRuns(client: Client, agent: string, place: string): Promise<void> {
  const why = `${agent} is gone`;
  const asks = await unsettledAsks(client, agent, place);
  for (const run_id of new Set(asks.map((ask) => ask.run_id)))
    await client.runs.fail(run_id, { error: why }).catch(() => {});
  for (const { ask_id } of asks) await letGo(client, ask_id, why);
}
