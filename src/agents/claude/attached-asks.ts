// Raises a permission request of an attached Claude Code as an ask of its conversation and turns the outcome into the reply
// of a PermissionRequest hook. A request that cannot be asked here is left to the terminal, and the thread says why.
import type { AskOptions } from '../../client/asking.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext, AttachedContext, HookCall } from '../agent.ts';
import { nthId } from '../kit/ask-ids.ts';
import {
  type AttachedRun,
  askingIn,
  attachedSession,
  CallIdTaken,
  openAttachedRun,
  SessionTaken,
  sessionIdOf,
  settling,
} from '../kit/attached-session.ts';
import { withdrawAsk } from '../kit/pending-asks.ts';
import { approvalDecision, approvalOf, type Decision, QUESTION_TOOL, questionDecision, questionsOf } from './asks.ts';
import { type Call, unnamedAsk } from './attached-calls.ts';
import { ATTACHED, type Conversation } from './attached-conversations.ts';
import { HOOK_SECONDS } from './connect.ts';
import type { HookEvent } from './hook-protocol.ts';
import type { ToolCall } from './stream-events.ts';

/** The ask expires a little before Claude Code would give up the hook. */
const MARGIN_SECONDS = 60;
const TITLE_CHARACTERS = 80;
const INPUT_CHARACTERS = 100_000;
const NAME_CHARACTERS = 300;
const REASON_CHARACTERS = 2000;
const MOST_RUNS = 5;
export const LEFT = 'a request of Claude Code was left to its terminal';
export const NO_DECISION = {};
const HELD = { behavior: 'held' } as const;

/** A request that is left to the terminal; the message says why. */
class NotAsked extends Error {
  askId?: string;
}

/** A permission request on its way into an ask. */
export interface Raising {
  readonly options: Pick<AskOptions, 'raised' | 'signal'>;
  isRaised: boolean;
  run?: AttachedRun;
  /** Makes the id of the ask that of one hook process. */
  readonly key?: number;
}

export type AttachedAsks = ReturnType<typeof createAttachedAsks>;

export function createAttachedAsks({ client, waits, log }: AttachedContext) {
  /** Asks in the active run, or in another one where that has ended meanwhile. */
  async function decide(conversation: Conversation, request: Raising, event: HookEvent): Promise<Decision> {
    const { id, prompt, calls } = conversation;
    const title = fitting(prompt.trim() || `Claude Code in ${event.cwd}`, TITLE_CHARACTERS);
    const text = fitting(prompt, INPUT_CHARACTERS);
    let name = calls.asked(callOf(event));
    for (let runs = 1; ; runs++) {
      request.run = await openAttachedRun(
        client,
        waits,
        { ...ATTACHED, id, label: event.session_label, folder: event.cwd, title },
        { text },
      );
      name ??= unnamedAsk(event.agent_id);
      const callId = request.key === undefined ? name : nthId(name, request.key);
      const options = { ...request.options, check: mustBePending };
      try {
        return await askIn(request.run, toolCallOf(callId, event, calls), event.cwd, options);
      } catch (error) {
        if (request.isRaised || runs === MOST_RUNS) throw error;
        if (error instanceof CallIdTaken) name = undefined;
        else if (!(error instanceof HoldpointProblem) || error.code !== 'run_state_conflict') throw error;
      }
    }
  }

  /** Waits for the end of an ask that was raised for this request before. One that is settled decides nothing. */
  async function resume(
    { id, calls }: Conversation,
    { ask_id, run_id, call_id }: HookCall & { ask_id: string },
    event: HookEvent,
    signal: AbortSignal,
  ): Promise<Decision> {
    const session = await attachedSession(client, { ...ATTACHED, id });
    if (!session) return HELD;
    const stored = async () => {
      const ask = await client.asks.get(ask_id);
      if (ask.session_id === session.session_id && ask.run_id === run_id) return ask;
      throw new CallIdTaken(`${ask_id} is not an ask of this run`);
    };
    const asking = askingIn(client, waits, session, run_id);
    return askIn(asking, toolCallOf(call_id, event, calls), event.cwd, { stored, signal }).catch((error: unknown) => {
      if (error instanceof CallIdTaken || isSettled(error)) return HELD;
      throw error;
    });
  }

  /** What cannot be asked here is asked at the terminal alone, and the thread says so. */
  async function leave(
    { id }: Conversation,
    { run, isRaised }: Pick<Raising, 'run' | 'isRaised'>,
    event: HookEvent,
    error: unknown,
  ): Promise<void> {
    if (isRaised && isSettled(error)) return;
    const isRefused = [HoldpointProblem, NotAsked, SessionTaken].some((known) => error instanceof known);
    if (!isRefused) throw error;
    const why = (error as Error).message;
    if (error instanceof NotAsked && error.askId !== undefined) await withdrawAsk(settling(client), error.askId, why);
    log?.warn({ session_id: sessionIdOf({ ...ATTACHED, id }), why }, LEFT);
    const tool = fitting(event.tool_name ?? '', NAME_CHARACTERS);
    const text = fitting(`${tool} is asked only at the terminal of Claude Code, because: ${why}`, REASON_CHARACTERS);
    await run?.output(text, { type: 'status' }).catch(() => {});
  }

  return { decide, resume, leave };
}

/** Any end but a decision of a person here is left to the terminal. */
async function askIn(
  run: Pick<AgentContext, 'ask' | 'approve'>,
  call: ToolCall,
  work_folder: string,
  options: AskOptions,
): Promise<Decision> {
  const expires_after_ms = (HOOK_SECONDS - MARGIN_SECONDS) * 1000;
  const sent = { ...options, acknowledge: 'sent' } as const;
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

/** Its answer may not be sent any more: an event has shown that it was settled at the terminal. */
const isSettled = (error: unknown): boolean => error instanceof HoldpointProblem && error.code === 'ask_state_conflict';

/** A setting of Holdpoint decides for agents that it starts; the person's own has settings of its own. */
function mustBePending({ ask_id, status }: AskView): void {
  if (status !== 'pending')
    throw Object.assign(new NotAsked(`it had been ${status} before a person saw it.`), { askId: ask_id });
}

const fitting = (text: string, most: number): string => truncate(storable(text), most);

export const callOf = ({ agent_id, tool_name = '', tool_input = {} }: Partial<HookEvent>): Call => ({
  thread: agent_id,
  tool: tool_name,
  input: tool_input,
});

function toolCallOf(id: string, event: HookEvent, calls: Conversation['calls']): ToolCall {
  const { agent_id, agent_type, permission_suggestions: suggestions = [] } = event;
  const { tool_name: name = '', tool_input: input = {} } = event;
  const task = agent_id === undefined ? undefined : calls.taskOf(agent_id, agent_type);
  const label = [agent_type?.trim() || agent_id, task?.trim()].filter(Boolean).join(': ');
  const lineage = agent_id === undefined ? [] : [fitting(label, NAME_CHARACTERS)];
  return { id, name, input, lineage, reason: '', suggestions };
}

export function decisionReply(decision: Decision): object {
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
