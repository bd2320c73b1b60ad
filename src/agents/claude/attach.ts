// Serves the HTTP hooks of a person's own Claude Code. Raises a PermissionRequest as an ask and replies when it has ended;
// the first answer wins, and an empty reply leaves the decision to the terminal prompt. Other events settle asks that were
// decided at the terminal (delivery-evidence.ts) and end runs (attached-conversations.ts). Any server may receive any event.
import { HoldpointProblem } from '../../client/http.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import type { AskView } from '../../core/views.ts';
import type { AttachedContext, HookServer } from '../agent.ts';
import {
  type AttachedRun,
  CallIdTaken,
  openAttachedRun,
  SessionTaken,
  sessionIdOf,
  settling,
} from '../kit/attached-session.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk, withdrawAsk } from '../kit/pending-asks.ts';
import {
  afterCallReply,
  approvalDecision,
  approvalOf,
  type Decision,
  QUESTION_TOOL,
  questionDecision,
  questionsOf,
} from './asks.ts';
import { type Call, unnamedAsk } from './attached-calls.ts';
import { ATTACHED, type Conversation, createConversations } from './attached-conversations.ts';
import { HOOK_SECONDS } from './connect.ts';
import { askAbout, type Evidence, effectOf } from './delivery-evidence.ts';
import { HookEvent } from './hook-protocol.ts';
import { isAfterCall } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

/** The ask expires a little before Claude Code would give up the hook. */
const MARGIN_SECONDS = 60;
const GONE = 'Claude Code no longer waits for it';
const STOPPED = { error: 'interrupted at the terminal of Claude Code', interrupted_by: 'person' } as const;
const REPLACED = { error: 'another prompt was given before the turn had ended', interrupted_by: 'person' } as const;
const ENDED = { error: 'Claude Code was ended', interrupted_by: 'person' } as const;
/** A prompt that Claude Code gives itself when a sub-agent has ended. */
const NOTIFICATION = '<task-notification>';
const NO_DECISION = {};
const LEFT = 'a request of Claude Code was left to its terminal';
/** Events with an input that a person might allow. */
const BEFORE_CALL = new Set(['PreToolUse', 'PermissionRequest']);
const HELD = { behavior: 'held' } as const;
const TITLE_CHARACTERS = 80;
const INPUT_CHARACTERS = 100_000;
const NAME_CHARACTERS = 300;
const REASON_CHARACTERS = 2000;
const MOST_RUNS = 5;

/** A request that is left to the terminal; the message says why. */
class NotAsked extends Error {
  askId?: string;
}

/** A permission request that waits at this server. */
interface Waiting {
  isRaised: boolean;
  run?: AttachedRun;
}
type Request = PendingAsk & Waiting;

export function serveHooks(
  { client, waits, log }: AttachedContext,
  options?: Parameters<typeof createConversations>[1],
): HookServer {
  const conversations = createConversations(client, options);
  const requests = createPendingAsks<HookEvent, Waiting>(settling(client));
  const asking = createInFlight();

  async function handle(payload: unknown, signal: AbortSignal, ambiguity?: string): Promise<object> {
    const read = HookEvent.safeParse(payload);
    if (!read.success) return NO_DECISION;
    if (ambiguity !== undefined && BEFORE_CALL.has(read.data.hook_event_name)) {
      log?.warn({ session_id: read.data.session_id, why: ambiguity }, LEFT);
      return NO_DECISION;
    }
    const conversation = conversations.of(read.data.session_id);
    if (read.data.hook_event_name === 'PermissionRequest') {
      const reply = ask(conversation, read.data, signal);
      asking.add(reply);
      return reply;
    }
    if (isAfterCall(read.data.hook_event_name)) return afterCall(conversation, read.data);
    if (read.data.hook_event_name === 'Stop') return stopped(conversation);
    await conversations.inOrder(conversation, () => report(conversation, read.data));
    return NO_DECISION;
  }

  async function afterCall(conversation: Conversation, event: HookEvent): Promise<object> {
    const settle = () => endCalls(conversation, event.agent_id, [event], 'ran');
    const [ask] = await conversations.inOrder(conversation, settle);
    return afterCallReply(event.hook_event_name, ask?.answer?.updated_input);
  }

  /** Claude Code shows no dialog for what a sub-agent asks here, so its terminal is told. */
  async function stopped(conversation: Conversation): Promise<object> {
    const waiting = await conversations.inOrder(conversation, () => conversations.endTurn(conversation));
    if (waiting.length === 0) return NO_DECISION;
    const askers = [...new Set(waiting.map(({ request }) => request.lineage?.at(-1) ?? 'a sub-agent'))].join(', ');
    return {
      systemMessage: `Holdpoint: ${askers} waits for an answer there (holdpoint inbox). No dialog is shown here.`,
    };
  }

  async function report(conversation: Conversation, event: HookEvent): Promise<unknown> {
    const { agent_id, tool_use_id, tool_calls = [], prompt = '', error = 'an error' } = event;
    switch (event.hook_event_name) {
      case 'PreToolUse':
        if (tool_use_id !== undefined) conversation.calls.began(tool_use_id, callOf(event));
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
    const request: Request = requests.open(event, { isRaised: false }, () => {
      request.isRaised = true;
      onRaised();
    });
    const giveUp = () => request.withdraw(GONE);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      // Later events wait until the ask is stored, not until it is answered.
      const { decision } = await conversations.inOrder(conversation, async () => {
        const deciding = decide(conversation, request, event);
        await Promise.race([raised, deciding.catch(() => {})]);
        return { decision: deciding };
      });
      return decisionReply(await decision);
    } catch (error) {
      await request.recorded();
      if (!request.isOver()) await leave(conversation, request, event, error);
      return NO_DECISION;
    } finally {
      request.done();
      signal.removeEventListener('abort', giveUp);
      // It hangs up when the turn is interrupted at its terminal, and when it dies; not when it is answered there.
      const interrupt = () => conversations.interrupt(conversation, STOPPED);
      if (signal.aborted) await conversations.inOrder(conversation, interrupt).catch(() => {});
    }
  }

  /** Asks in the active run, or in another one where that has ended meanwhile. */
  async function decide(conversation: Conversation, request: Request, event: HookEvent): Promise<Decision> {
    const { id, prompt, calls } = conversation;
    const title = fitting(prompt.trim() || `Claude Code in ${event.cwd}`, TITLE_CHARACTERS);
    const text = fitting(prompt, INPUT_CHARACTERS);
    let name = calls.asked(callOf(event));
    for (let runs = 1; ; runs++) {
      request.run = await openAttachedRun(client, waits, { ...ATTACHED, id, folder: event.cwd, title }, { text });
      name ??= unnamedAsk(event.agent_id);
      try {
        return await askIn(request.run, toolCallOf(name, event), event.cwd, request);
      } catch (error) {
        if (request.isRaised || runs === MOST_RUNS) throw error;
        if (error instanceof CallIdTaken) name = undefined;
        else if (!(error instanceof HoldpointProblem) || error.code !== 'run_state_conflict') throw error;
      }
    }
  }

  /** Any end but a decision of a person here is left to the terminal. */
  async function askIn(run: AttachedRun, call: ToolCall, work_folder: string, { options }: Request): Promise<Decision> {
    const expires_after_ms = (HOOK_SECONDS - MARGIN_SECONDS) * 1000;
    const sent = { ...options, acknowledge: 'sent', check: mustBePending } as const;
    if (call.name === QUESTION_TOOL) {
      const questions = questionsOf(call);
      if (!questions) throw new NotAsked('its questions are not as expected.');
      const outcome = await run.ask({ ...questions, expires_after_ms }, sent);
      return outcome.status === 'answered' || outcome.status === 'declined' ? questionDecision(call, outcome) : HELD;
    }
    // It would run in the folder that Claude Code is in by now, which need not be the one that the session began in.
    const approval = { ...approvalOf(call), work_folder, expires_after_ms };
    const outcome = await run.approve(approval, sent);
    return outcome.status === 'answered' ? approvalDecision(approval, outcome) : HELD;
  }

  /** What cannot be asked here is asked at the terminal alone, and the thread says so. */
  async function leave(
    { id }: Conversation,
    { run, isRaised }: Request,
    event: HookEvent,
    error: unknown,
  ): Promise<void> {
    // Its answer may not be sent any more: an event has shown that it was settled at the terminal.
    if (isRaised && error instanceof HoldpointProblem && error.code === 'ask_state_conflict') return;
    const isRefused = [HoldpointProblem, NotAsked, SessionTaken].some((known) => error instanceof known);
    if (!isRefused) throw error;
    const why = (error as Error).message;
    if (error instanceof NotAsked && error.askId !== undefined) await withdrawAsk(settling(client), error.askId, why);
    log?.warn({ session_id: sessionIdOf({ ...ATTACHED, id }), why }, LEFT);
    const tool = fitting(event.tool_name ?? '', NAME_CHARACTERS);
    const text = fitting(`${tool} is asked only at the terminal of Claude Code, because: ${why}`, REASON_CHARACTERS);
    await run?.output(text, { type: 'status' }).catch(() => {});
  }

  /** Withdraws the open requests: the prompts at the terminal of Claude Code stay open. */
  async function close(): Promise<void> {
    for (const request of requests.all()) request.withdraw('Holdpoint was shut down');
    await asking.settled();
    conversations.close();
  }

  return { handle, recover: conversations.recover, close };
}

/** A setting of Holdpoint decides for agents that it starts; the person's own has settings of its own. */
function mustBePending({ ask_id, status }: AskView): void {
  if (status !== 'pending')
    throw Object.assign(new NotAsked(`it had been ${status} before a person saw it.`), { askId: ask_id });
}

const fitting = (text: string, most: number): string => truncate(storable(text), most);

const callOf = ({ agent_id, tool_name = '', tool_input = {} }: Partial<HookEvent>): Call => ({
  thread: agent_id,
  tool: tool_name,
  input: tool_input,
});

function toolCallOf(id: string, event: HookEvent): ToolCall {
  const { agent_id, agent_type, permission_suggestions: suggestions = [] } = event;
  const { tool_name: name = '', tool_input: input = {} } = event;
  const lineage = agent_id === undefined ? [] : [fitting(agent_type?.trim() || agent_id, NAME_CHARACTERS)];
  return { id, name, input, lineage, reason: '', suggestions };
}

function decisionReply(decision: Decision): object {
  if (decision.behavior === 'held') return NO_DECISION;
  const { behavior } = decision;
  const reply =
    behavior === 'deny'
      ? { behavior, message: decision.message }
      : {
          behavior,
          updatedInput: decision.input,
          ...(decision.rules.length > 0 && { updatedPermissions: decision.rules }),
        };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: reply } };
}
