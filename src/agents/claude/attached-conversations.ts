// Reads and ends the open asks and runs of attached Claude Code conversations, as the server has them. Several servers may
// receive the events of one conversation and none owns it; in memory are only hints of one server: the order of events,
// calls in progress, the last prompt, and when an event last arrived.
import { type Client, every } from '../../client/client.ts';
import { truncate } from '../../core/text-limit.ts';
import type { AskView, SessionView } from '../../core/views.ts';
import {
  attachedSession,
  endLost,
  endRun,
  type Failure,
  settling,
  unsettledAsks,
  unsettledAsksOf,
} from '../kit/attached-session.ts';
import { type HookCaller, mayServe } from '../kit/hook-caller.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { createCalls, isOfThread } from './attached-calls.ts';
import { type Effect, effectOf } from './delivery-evidence.ts';

export const ATTACHED = { agent: 'claude', sessionPrefix: 'claude.' } as const;

export interface Conversation {
  readonly id: string;
  /** The hook token that was found to be the one it belongs to. */
  owner?: string;
  prompt: string;
  readonly calls: ReturnType<typeof createCalls>;
  order: Promise<unknown>;
  /** When the session had last changed, at a look that found all of its asks settled. */
  settledAt?: number | undefined;
  timer?: ReturnType<typeof setTimeout>;
  /** How many looks in a row found no change, and when the session had last changed at the last of them. */
  quietLooks: number;
  changedAt?: number | undefined;
}

/** What the server has of a conversation: its session, and the asks that are not settled. */
export interface Opened {
  session: SessionView;
  asks: AskView[];
}

const EVERY_THREAD = Symbol('every thread');
/** Of a run, hidden from people. Written only where a turn ends while asks of its sub-agents are pending. */
const TURN_OUTPUT = 'claude-turn';
const ACTIVE = ['running', 'waiting_for_approval', 'waiting_for_user_question'] as const;
/** No event reports a turn that is interrupted while the model thinks, or a process that is killed. */
const LOOK_MS = 15 * 60_000;
const QUIET_LOOKS = 2;
/** A call reports nothing while it runs, for a day at most. */
const QUIET_LOOKS_IN_CALL = 96;
/** What hooks may have kept in memory. */
const MOST_CONVERSATIONS = 200;
const PROMPT_CHARACTERS = 100_000;
const QUIET = 'nothing more was heard of Claude Code';
/** How long a hook process may take to call again after a restart; it tries every two seconds. */
const RETURN_MS = 15_000;
const RESTARTED = 'Holdpoint was restarted, and Claude Code goes on asking at its terminal';

export type Conversations = ReturnType<typeof createConversations>;

/** `lookMs`: how often a conversation without events is looked at. */
export function createConversations(client: Client, { lookMs = LOOK_MS, returnMs = RETURN_MS } = {}) {
  const known = new Map<string, Conversation>();
  /** Asks of before a restart, whose hook process has not called again. */
  const unclaimed = new Set<string>();
  let claiming: ReturnType<typeof setTimeout> | undefined;

  /** Call it for every event of the conversation. */
  function of(id: string): Conversation {
    const fresh = () => ({ id, prompt: '', calls: createCalls(), order: Promise.resolve() });
    const conversation: Conversation = Object.assign(known.get(id) ?? fresh(), { quietLooks: 0, changedAt: undefined });
    // The one without an event for longest is first; what is forgotten is only a hint.
    known.delete(id);
    known.set(id, conversation);
    const [oldest] = known.values();
    if (known.size > MOST_CONVERSATIONS && oldest) forget(oldest);
    lookLater(conversation);
    return conversation;
  }

  /** Whether an event of this caller concerns it. Until it has asked something there is nothing to protect. */
  async function isOpenTo(conversation: Conversation, caller: HookCaller): Promise<boolean> {
    if (conversation.owner === caller.tokenId) return true;
    const session = await attachedSession(client, { ...ATTACHED, id: conversation.id });
    if (!session) return true;
    if (!(await mayServe(session, caller))) return false;
    conversation.owner = caller.tokenId;
    return true;
  }

  /** Keeps the beginning of a prompt, as a copy: a part of a text holds the whole in memory. */
  function prompted(conversation: Conversation, prompt: string): void {
    conversation.prompt = Buffer.from(truncate(prompt, PROMPT_CHARACTERS)).toString();
  }

  function forget(conversation: Conversation): void {
    clearTimeout(conversation.timer);
    known.delete(conversation.id);
  }

  /** Events of one conversation are handled in the order in which they arrive here. */
  function inOrder<T>(conversation: Conversation, work: () => Promise<T>): Promise<T> {
    const done = conversation.order.then(work);
    conversation.order = done.catch(() => {});
    return done;
  }

  /** Undefined for a conversation that never asked. One request, unless the session changed since all was settled. */
  async function look(conversation: Conversation): Promise<Opened | undefined> {
    const session = await attachedSession(client, { ...ATTACHED, id: conversation.id });
    if (!session) return undefined;
    const { session_id, updated_at_ms, snapshot } = session;
    const hasPending = snapshot.pending_approvals.length > 0 || snapshot.pending_questions.length > 0;
    const isSettled = !hasPending && updated_at_ms === conversation.settledAt;
    const asks = isSettled ? [] : await unsettledAsks(client, { session_id });
    conversation.settledAt = asks.length === 0 ? updated_at_ms : undefined;
    return { session, asks };
  }

  /** Refusals are ignored: another server, or the person, was first. */
  async function settle(opened: Opened, ask: AskView, effect: Effect | undefined): Promise<void> {
    if (!effect) return;
    const { ask_id, run_id } = ask;
    opened.asks = opened.asks.filter((other) => other !== ask);
    if (effect.state === 'delivered') return void (await client.asks.delivered(ask_id).catch(() => {}));
    await withdrawAsk(settling(client), ask_id, effect.reason);
    if (!effect.isContradicted) return;
    const status = { output_id: `ran-${ask_id}`, type: 'status', text: `This was ${effect.reason}` };
    await client.runs.output(run_id, status).catch(() => {});
  }

  /** Settles what a thread had asked that has ended. */
  async function endThread(
    conversation: Conversation,
    thread: string | undefined | typeof EVERY_THREAD,
  ): Promise<Opened | undefined> {
    conversation.calls.threadEnded((other) => thread === EVERY_THREAD || other === thread);
    const opened = await look(conversation);
    for (const ask of opened?.asks ?? [])
      if (opened && (thread === EVERY_THREAD || isOfThread(ask, thread)))
        await settle(opened, ask, effectOf(ask, 'thread ended'));
    return opened;
  }

  const isHeld = ({ session, asks }: Opened): boolean =>
    asks.some(({ status, run_id }) => status === 'pending' && run_id === session.active_run_id);

  /** The active run, unless an ask is pending in it. */
  const idleRun = (opened: Opened | undefined): string | undefined =>
    opened && !isHeld(opened) ? opened.session.active_run_id : undefined;

  /**
   * The turn of the session itself has ended, and its run with it, unless a sub-agent waits in it for an answer. Resolves to
   * the asks that wait.
   */
  async function endTurn(conversation: Conversation, failure?: Failure): Promise<AskView[]> {
    const opened = await endThread(conversation, undefined);
    const runId = idleRun(opened);
    if (runId !== undefined) await endRun(client, runId, failure);
    else if (opened?.session.active_run_id) await noteTurn(opened.session.active_run_id, 'ended');
    return (opened?.asks ?? []).filter(({ status }) => status === 'pending');
  }

  /** A prompt begins a turn. The one before was interrupted, unless it had ended or the prompt is not a person's. */
  async function beginTurn(conversation: Conversation, isByPerson: boolean, failure: Failure): Promise<void> {
    const opened = await endThread(conversation, undefined);
    const runId = opened?.session.active_run_id;
    if (!opened || runId === undefined) return;
    const hadEnded = await hasTurnEnded(runId);
    if (!isHeld(opened)) await endRun(client, runId, isByPerson && !hadEnded ? failure : undefined);
    else if (hadEnded) await noteTurn(runId, 'begun');
  }

  /** The run of a turn that has ended before ends with the last sub-agent that asked in it. */
  async function endSubAgent(conversation: Conversation, agentId: string): Promise<void> {
    const runId = idleRun(await endThread(conversation, agentId));
    if (runId !== undefined && (await hasTurnEnded(runId))) await endRun(client, runId);
  }

  async function endConversation(conversation: Conversation, failure: Failure): Promise<void> {
    forget(conversation);
    const runId = idleRun(await endThread(conversation, EVERY_THREAD));
    if (runId !== undefined) await endRun(client, runId, (await hasTurnEnded(runId)) ? undefined : failure);
  }

  /** Claude Code has closed the connection of a request: its turn was interrupted, or it is gone. */
  async function interrupt(conversation: Conversation, failure: Failure): Promise<void> {
    const runId = idleRun(await look(conversation));
    if (runId !== undefined) await endRun(client, runId, failure);
  }

  const noteTurn = (runId: string, state: 'ended' | 'begun') =>
    client.runs.output(runId, { type: TURN_OUTPUT, data: { state } });

  async function hasTurnEnded(runId: string): Promise<boolean> {
    const { outputs } = await client.runs.get(runId);
    return outputs.findLast(({ type }) => type === TURN_OUTPUT)?.data?.state === 'ended';
  }

  function lookLater(conversation: Conversation): void {
    clearTimeout(conversation.timer);
    const work = () => void inOrder(conversation, () => lookAtQuiet(conversation)).catch(() => lookLater(conversation));
    conversation.timer = setTimeout(work, lookMs).unref();
  }

  /** Ends the run once neither events here nor the session's record show a sign of life, and no ask is pending. */
  async function lookAtQuiet(conversation: Conversation): Promise<void> {
    if (known.get(conversation.id) !== conversation) return;
    const opened = await look(conversation);
    if (!opened || (opened.session.active_run_id === undefined && opened.asks.length === 0))
      return forget(conversation);
    const { updated_at_ms } = opened.session;
    const isQuiet = updated_at_ms === conversation.changedAt && !isHeld(opened);
    conversation.quietLooks = isQuiet ? conversation.quietLooks + 1 : 1;
    conversation.changedAt = updated_at_ms;
    const isInCall = opened.asks.length > 0 || !conversation.calls.isIdle();
    if (conversation.quietLooks < (isInCall ? QUIET_LOOKS_IN_CALL : QUIET_LOOKS)) return lookLater(conversation);
    await endConversation(conversation, { error: QUIET, interrupted_by: 'worker_restart' });
  }

  /**
   * Asks that an earlier process of the server has raised end, unless their hook process calls again. Turns go on: their
   * next events end them, or silence does.
   */
  async function recover(): Promise<void> {
    for (const ask of await unsettledAsksOf(client, ATTACHED))
      if (ask.delivery.attempts === 0) unclaimed.add(ask.ask_id);
    if (unclaimed.size > 0) claiming = setTimeout(() => void endUnclaimed().catch(() => {}), returnMs).unref();
    for (const status of ACTIVE)
      for await (const run of every((page) => client.runs.list({ ...page, status, limit: 500 })))
        if (run.session_id.startsWith(ATTACHED.sessionPrefix) && run.agent_id === ATTACHED.agent)
          of(run.session_id.slice(ATTACHED.sessionPrefix.length));
  }

  /** The hook process of this ask waits for it. */
  function returned(askId: string): void {
    unclaimed.delete(askId);
  }

  /** A run in which another ask is open goes on. */
  async function endUnclaimed(): Promise<void> {
    const open = await unsettledAsksOf(client, ATTACHED);
    const lost = open.filter(({ ask_id, delivery }) => unclaimed.has(ask_id) && delivery.attempts === 0);
    const held = open.filter((ask) => ask.status === 'pending' && !lost.includes(ask)).map(({ run_id }) => run_id);
    for (const { ask_id, run_id } of lost)
      if (held.includes(run_id)) await withdrawAsk(settling(client), ask_id, RESTARTED);
    const rest = lost.filter(({ run_id }) => !held.includes(run_id));
    await endLost(client, rest, RESTARTED, { interrupted_by: 'worker_restart' });
    unclaimed.clear();
  }

  return {
    of,
    isOpenTo,
    prompted,
    returned,
    inOrder,
    look,
    settle,
    endTurn,
    beginTurn,
    endSubAgent,
    endConversation,
    interrupt,
    recover,
    close() {
      clearTimeout(claiming);
      known.forEach(forget);
    },
  };
}
