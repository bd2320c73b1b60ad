// Serves the HTTP hooks of a person's own Claude Code. Raises a PermissionRequest as an ask and replies when it has ended;
// the first answer wins, and an empty reply leaves the decision to the terminal prompt. Other events settle asks that were
// decided at the terminal (delivery-evidence.ts) and end runs (attached-conversations.ts). Any server may receive any event.
import { sleep } from '../../client/http.ts';
import type { AskView } from '../../core/views.ts';
import type { AttachedContext, HookServer } from '../agent.ts';
import { settling } from '../kit/attached-session.ts';
import { callerLabel, type HookCaller } from '../kit/hook-caller.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { afterCallReply } from './asks.ts';
import { callOf, createAttachedAsks, decisionReply, LEFT, NO_DECISION, type Raising } from './attached-asks.ts';
import { type Conversation, createConversations } from './attached-conversations.ts';
import { askAbout, type Evidence, effectOf } from './delivery-evidence.ts';
import { createHookPolls } from './hook-polls.ts';
import { GONE, HookEvent, STOPPED } from './hook-protocol.ts';
import { isAfterCall } from './protocol.ts';

const REPLACED = { error: 'another prompt was given before the turn had ended', interrupted_by: 'person' } as const;
const ENDED = { error: 'Claude Code was ended', interrupted_by: 'person' } as const;
/** A prompt that Claude Code gives itself when a sub-agent has ended. */
const NOTIFICATION = '<task-notification>';
/** A hook process needs a moment to start before it asks. Less than Claude Code waits for a hook that reports. */
const STARTS_WITHIN_MS = 1500;
const LOOK_MS = 50;
/** Events with an input that a person might allow. */
const BEFORE_CALL = new Set(['PreToolUse', 'PermissionRequest']);

/** A permission request that waits at this server. */
type Waiting = Pick<Raising, 'isRaised' | 'run'>;

export function serveHooks(
  context: AttachedContext,
  options: Parameters<typeof createConversations>[1] & { pollMs?: number } = {},
): HookServer {
  const { client, log } = context;
  const conversations = createConversations(client, options);
  const asks = createAttachedAsks(context);
  const polls = createHookPolls({ client, conversations, asks, pollMs: options.pollMs });
  const requests = createPendingAsks<HookEvent, Waiting>(settling(client));
  const asking = createInFlight();

  async function handle(
    payload: unknown,
    signal: AbortSignal,
    ambiguity?: string,
    caller?: HookCaller,
  ): Promise<object> {
    const read = HookEvent.safeParse(payload);
    if (!read.success) return NO_DECISION;
    const event = { ...read.data, session_label: caller && callerLabel(caller) };
    const { session_id } = event;
    if (ambiguity !== undefined && BEFORE_CALL.has(event.hook_event_name)) {
      log?.warn({ session_id, why: ambiguity }, LEFT);
      return NO_DECISION;
    }
    const conversation = conversations.of(session_id);
    if (caller && !(await conversations.inOrder(conversation, () => conversations.isOpenTo(conversation, caller)))) {
      log?.warn({ session_id, why: 'another hook token began this conversation' }, LEFT);
      return NO_DECISION;
    }
    return answer(conversation, event, signal);
  }

  async function answer(conversation: Conversation, event: HookEvent, signal: AbortSignal): Promise<object> {
    if (event.hook_event_name === 'PermissionRequest') {
      const { holdpoint: poll } = event;
      const reply = poll ? polls.answer(conversation, event, poll, signal) : ask(conversation, event, signal);
      asking.add(reply);
      return reply;
    }
    if (isAfterCall(event.hook_event_name)) return afterCall(conversation, event);
    if (event.hook_event_name === 'Stop') return stopped(conversation);
    await conversations.inOrder(conversation, () => report(conversation, event));
    return NO_DECISION;
  }

  async function afterCall(conversation: Conversation, event: HookEvent): Promise<object> {
    const { agentId, description } = event.tool_response ?? {};
    if (agentId !== undefined && description !== undefined) conversation.calls.started(agentId, description);
    const settle = () => endCalls(conversation, event.agent_id, [event], 'ran');
    const [ask] = await conversations.inOrder(conversation, settle);
    return afterCallReply(event.hook_event_name, ask?.answer?.updated_input);
  }

  /** Claude Code shows no dialog for what a sub-agent asks here, so its terminal is told. */
  async function stopped(conversation: Conversation): Promise<object> {
    for (const at = Date.now(); Date.now() < at + STARTS_WITHIN_MS; await sleep(LOOK_MS))
      if (!conversation.calls.mayAskSince(Date.now() - STARTS_WITHIN_MS)) break;
    const waiting = await conversations.inOrder(conversation, () => conversations.endTurn(conversation));
    if (waiting.length === 0) return NO_DECISION;
    const askers = [
      ...new Set(waiting.map(({ request }) => request.lineage?.at(-1)?.split(': ')[0] ?? 'a sub-agent')),
    ].join(', ');
    return {
      systemMessage: `Holdpoint: ${askers} waits for an answer there (holdpoint inbox). No dialog is shown here.`,
    };
  }

  async function report(conversation: Conversation, event: HookEvent): Promise<unknown> {
    const { agent_id, tool_use_id, tool_calls = [], prompt = '', error = 'an error' } = event;
    switch (event.hook_event_name) {
      case 'PreToolUse':
        if (tool_use_id !== undefined) conversation.calls.began(tool_use_id, callOf(event), Date.now());
        return;
      case 'PermissionDenied':
        return endCalls(conversation, agent_id, [event], 'over');
      case 'PostToolBatch':
        conversation.calls.threadEnded((thread) => thread === agent_id);
        return endCalls(conversation, agent_id, tool_calls, 'over');
      case 'SubagentStop':
        return agent_id === undefined ? undefined : conversations.endSubAgent(conversation, agent_id);
      case 'UserPromptSubmit': {
        const isByPerson = !prompt.startsWith(NOTIFICATION);
        if (isByPerson) conversations.prompted(conversation, prompt);
        return conversations.beginTurn(conversation, isByPerson, REPLACED);
      }
      case 'StopFailure':
        return conversations.endTurn(conversation, { error: `Claude Code stopped: ${error}` });
      case 'SessionEnd':
        return conversations.endConversation(conversation, ENDED);
    }
  }

  /** Returns the asks whose answer is shown to have reached Claude Code. */
  async function endCalls(
    conversation: Conversation,
    thread: string | undefined,
    calls: readonly Pick<HookEvent, 'tool_use_id' | 'tool_name' | 'tool_input'>[],
    evidence: Evidence,
  ): Promise<AskView[]> {
    const opened = await conversations.look(conversation);
    const delivered: AskView[] = [];
    for (const { tool_use_id, ...fields } of calls) {
      if (tool_use_id === undefined) continue;
      conversation.calls.ended(thread, tool_use_id);
      const call = callOf({ ...fields, agent_id: thread });
      const about = opened && askAbout(opened.asks, tool_use_id, call, evidence);
      const effect = about && effectOf(about, evidence, call);
      if (opened && about) await conversations.settle(opened, about, effect);
      if (about && effect?.state === 'delivered') delivered.push(about);
    }
    return delivered;
  }

  async function ask(conversation: Conversation, event: HookEvent, signal: AbortSignal): Promise<object> {
    const { promise: raised, resolve: onRaised } = Promise.withResolvers<void>();
    const request: PendingAsk & Waiting = requests.open(event, { isRaised: false }, () => {
      request.isRaised = true;
      onRaised();
    });
    const giveUp = () => request.withdraw(GONE);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      // Later events wait until the ask is stored, not until it is answered.
      const { decision } = await conversations.inOrder(conversation, async () => {
        const deciding = asks.decide(conversation, request, event);
        await Promise.race([raised, deciding.catch(() => {})]);
        return { decision: deciding };
      });
      return decisionReply(await decision);
    } catch (error) {
      await request.recorded();
      if (!request.isOver()) await asks.leave(conversation, request, event, error);
      return NO_DECISION;
    } finally {
      request.done();
      signal.removeEventListener('abort', giveUp);
      // It hangs up when the turn is interrupted at its terminal, and when it dies; not when it is answered there.
      const interrupt = () => conversations.interrupt(conversation, STOPPED);
      if (signal.aborted) await conversations.inOrder(conversation, interrupt).catch(() => {});
    }
  }

  /** Withdraws the open requests: the prompts at the terminal of Claude Code stay open. Hook processes call again. */
  async function close(): Promise<void> {
    polls.close();
    for (const request of requests.all()) request.withdraw('Holdpoint was shut down');
    await asking.settled();
    conversations.close();
  }

  return { handle, recover: conversations.recover, close };
}
