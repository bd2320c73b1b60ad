// A person's own Claude Code, attached by its http hooks: what it asks at its terminal is asked here too, and the first
// answer counts. Each call of a hook is one event; the one that asks is answered when somebody has decided here. If the
// person at the terminal was first, later events say so and the ask is taken back. Nothing said here is no decision: the
// terminal goes on asking. Keeps only what it needs to pair events (claude-calls.ts); the server has the rest.
import { randomUUID } from 'node:crypto';
import { type Asking, type AskOptions, askApproval, askQuestion } from '../../client/asking.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { approvalBody, questionBody } from '../../client/spec.ts';
import type { AttachedContext, HookServer } from '../agent.ts';
import { fittingText } from '../kit/fitting-text.ts';
import { approvalDecision, approvalOf, type Decision, QUESTION_TOOL, questionDecision, questionsOf } from './asks.ts';
import { type Call, comparable, type Request, type Thread } from './attached-calls.ts';
import { type Attached, createConversations } from './attached-runs.ts';
import { HOOK_SECONDS } from './connect.ts';
import { HookEvent } from './hook-protocol.ts';
import { tooLate } from './late-decision.ts';
import type { ToolCall } from './stream-events.ts';

/** An ask that ended without having been pending; the message is its status. */
class DecidedBefore extends Error {}

/** A request for permission, and what became of it here. */
export interface Held extends Request {
  runId?: string;
  askId?: string;
  decision?: Decision;
  /** The person here allowed a changed input. */
  isChanged?: boolean;
  stop: AbortController;
  /** When nothing of it is under way any more. */
  done: Promise<unknown>;
}

/** The ask ends a little before Claude Code would give the hook up. */
const MARGIN_SECONDS = 60;
const ELSEWHERE = 'settled at the terminal of Claude Code';
const GONE = 'Claude Code no longer waits for it';
const STOPPED = 'interrupted at the terminal of Claude Code';
const REPLACED = 'another prompt was given before the turn had ended';
const ENDED = 'Claude Code was ended';
/** What Claude Code says to itself when a sub-agent is done: nothing that anybody typed. */
const NOTIFICATION = '<task-notification>';
/** A command that failed has run as well as one that did not. */
const RAN: ReadonlySet<string> = new Set(['PostToolUse', 'PostToolUseFailure']);
const NO_DECISION = {};
const LINEAGE_CHARACTERS = 300;
const WHY_CHARACTERS = 2000;

/** `quietMs`: how long a conversation may be silent before its run ends. */
export function serveHooks({ client, waits, log }: AttachedContext, options: { quietMs?: number } = {}): HookServer {
  const conversations = createConversations<Held>(client, options);

  async function handle(payload: unknown, signal: AbortSignal): Promise<object> {
    const read = HookEvent.safeParse(payload);
    if (!read.success) return NO_DECISION;
    const event = read.data;
    const attached = await conversations.of(event.session_id);
    const isOfThread = ({ agentId }: Thread) => agentId === event.agent_id;
    switch (event.hook_event_name) {
      case 'PreToolUse':
        if (event.tool_use_id !== undefined) attached.calls.announce(event.tool_use_id, callOf(event));
        break;
      case 'PermissionRequest':
        return await ask(attached, event, signal);
      case 'PostToolUse':
      case 'PostToolUseFailure':
      case 'PermissionDenied':
        await over(attached, event, event.tool_use_id);
        break;
      case 'PostToolBatch':
        for (const { tool_use_id } of event.tool_calls ?? []) await over(attached, event, tool_use_id);
        break;
      case 'SubagentStop':
        await endThread(attached, isOfThread);
        if (attached.isStopped) await conversations.end(attached, (run) => run.complete());
        break;
      case 'UserPromptSubmit':
        await endThread(attached, isOfThread);
        await conversations.end(attached, (run) => (attached.isStopped ? run.complete() : run.interrupt(REPLACED)));
        attached.isStopped = false;
        if (!event.prompt?.startsWith(NOTIFICATION)) attached.prompt = event.prompt ?? '';
        break;
      case 'Stop':
        attached.isStopped = true;
        await endThread(attached, isOfThread);
        await conversations.end(attached, (run) => run.complete());
        break;
      case 'StopFailure':
        attached.isStopped = true;
        await endThread(attached, isOfThread);
        await conversations.end(attached, (run) => run.fail(`Claude Code stopped: ${event.error ?? 'an error'}`));
        break;
      case 'SessionEnd':
        await endThread(attached, () => true);
        await conversations.end(attached, (run) => (attached.isStopped ? run.complete() : run.interrupt(ENDED)));
        conversations.forget(event.session_id);
    }
    return NO_DECISION;
  }

  async function ask(attached: Attached<Held>, event: HookEvent, signal: AbortSignal): Promise<object> {
    const stop = new AbortController();
    const { promise: done, resolve: finished } = Promise.withResolvers<void>();
    const held = attached.calls.asked(callOf(event), (request) => ({ ...request, stop, done }));
    attached.held.add(held);
    try {
      const decision = await decide(attached, held, event, AbortSignal.any([signal, stop.signal]));
      if (decision.behavior === 'deny') attached.calls.settled(held);
      held.isAllowed = decision.behavior === 'allow';
      return decisionReply(decision);
    } catch (error) {
      const isOver = signal.aborted || stop.signal.aborted;
      if (isOver) await withdraw(held, stop.signal.aborted ? String(stop.signal.reason) : GONE);
      else if (!(error instanceof HoldpointProblem)) throw error;
      else await leave(attached, held, event, error.detail);
      return NO_DECISION;
    } finally {
      attached.held.delete(held);
      finished();
      // It hangs up when the turn is interrupted at its terminal, and when it dies; not when it is answered there.
      if (signal.aborted && !stop.signal.aborted)
        await conversations.end(attached, (run) => run.interrupt(STOPPED)).catch(() => {});
    }
  }

  /** What cannot be asked here is asked at the terminal alone; somebody who waits for it here is told so. */
  async function leave({ sessionId }: Attached<Held>, { runId }: Held, event: HookEvent, why: string): Promise<void> {
    log?.warn({ session_id: sessionId, why }, 'a request of Claude Code was left to its terminal');
    if (runId === undefined) return;
    const tool = fittingText(event.tool_name ?? '', LINEAGE_CHARACTERS);
    const text = fittingText(`${tool} is asked only at the terminal of Claude Code, because: ${why}`, WHY_CHARACTERS);
    await client.runs.output(runId, { type: 'status', text }).catch(() => {});
  }

  async function decide(
    attached: Attached<Held>,
    held: Held,
    event: HookEvent,
    signal: AbortSignal,
  ): Promise<Decision> {
    const place = await conversations.place(attached, event.cwd);
    held.runId = place.runId;
    const call = toolCallOf(held, event);
    const body = bodyOf(call, event.cwd);
    if (!body) {
      await leave(attached, held, event, 'its questions are not as expected.');
      return { behavior: 'held' };
    }
    // Not given up half way: what is stored can be taken back by its id.
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(signal.reason);
    const manner: AskOptions = {
      signal: waiting.signal,
      check({ ask_id, status }) {
        held.askId = ask_id;
        // Decided before it was asked: by no person, or about another call.
        if (body.kind === 'approval' && status !== 'pending') throw new DecidedBefore(status);
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
      },
    };
    const asking = { calls: client, waits, ...place };
    const decision = await (body.kind === 'question'
      ? answered(asking, body, call, manner)
      : approved(asking, body, call, manner)
    ).catch(async (error: unknown): Promise<Decision> => {
      if (!(error instanceof DecidedBefore)) throw error;
      await leave(attached, held, event, `it had been ${error.message} before anybody saw it.`);
      return { behavior: 'held' };
    });
    held.decision = decision;
    held.isChanged =
      body.kind === 'approval' &&
      decision.behavior === 'allow' &&
      comparable(decision.input) !== comparable(call.input);
    return decision;
  }

  /** Whatever is left to the terminal, by somebody here or by nobody, is no decision. */
  async function answered(
    asking: Asking,
    body: ReturnType<typeof questionBody>,
    call: ToolCall,
    manner: AskOptions,
  ): Promise<Decision> {
    const outcome = await askQuestion(asking, body, manner);
    const isDecided = outcome.status === 'answered' || outcome.status === 'declined';
    return isDecided ? questionDecision(call, outcome) : { behavior: 'held' };
  }

  async function approved(
    asking: Asking,
    body: ReturnType<typeof approvalBody>,
    call: ToolCall,
    manner: AskOptions,
  ): Promise<Decision> {
    const outcome = await askApproval(asking, body, manner);
    return outcome.status === 'answered' ? approvalDecision(approvalOf(call), outcome) : { behavior: 'held' };
  }

  async function over(attached: Attached<Held>, event: HookEvent, callId: string | undefined): Promise<void> {
    const held = callId === undefined ? undefined : attached.calls.over(callId);
    if (!held) return;
    await takeBack([held]);
    if (RAN.has(event.hook_event_name)) await tellIfTooLate(held, event);
  }

  async function tellIfTooLate(held: Held, event: HookEvent): Promise<void> {
    const { runId, askId } = held;
    const text = tooLate(held, event);
    if (text === undefined || runId === undefined) return;
    await client.runs.output(runId, { output_id: `ran-${askId}`, type: 'status', text }).catch(() => {});
  }

  async function endThread({ calls, held }: Attached<Held>, isOf: (thread: Thread) => boolean): Promise<void> {
    calls.ended(isOf);
    await takeBack([...held].filter(isOf));
  }

  async function takeBack(over: Held[], why = ELSEWHERE): Promise<void> {
    for (const { stop } of over) stop.abort(why);
    await Promise.all(over.map(({ done }) => done));
  }

  /** An answer that came at the same moment has nobody to go to. */
  async function withdraw({ askId }: Held, justification: string): Promise<void> {
    if (askId === undefined) return;
    await client.asks
      .withdraw(askId, { justification })
      .catch(() => client.asks.undeliverable(askId, { reason: justification }))
      .catch(() => {});
  }

  /** This server goes away: whoever waits here is sent back to the terminal. */
  async function close(): Promise<void> {
    for (const attached of conversations.all()) await takeBack([...attached.held], 'Holdpoint was shut down');
    conversations.close();
  }

  return { handle, recover: conversations.recover, close };
}

const callOf = ({ agent_id, tool_name = '', tool_input = {} }: HookEvent): Call => ({
  agentId: agent_id,
  tool: tool_name,
  input: comparable(tool_input),
});

function toolCallOf({ callId }: Held, event: HookEvent): ToolCall {
  const { tool_name: name = '', tool_input: input = {}, permission_suggestions: suggestions = [] } = event;
  const lineage =
    event.agent_id === undefined ? [] : [fittingText(event.agent_type?.trim() || event.agent_id, LINEAGE_CHARACTERS)];
  return { id: callId ?? `permission-${randomUUID()}`, name, input, lineage, reason: '', suggestions };
}

/** It runs in the folder that Claude Code is in by now, which need not be the one that the session began in. */
function bodyOf(call: ToolCall, work_folder: string) {
  const expires_after_ms = (HOOK_SECONDS - MARGIN_SECONDS) * 1000;
  if (call.name !== QUESTION_TOOL) return approvalBody({ ...approvalOf(call), work_folder, expires_after_ms }, call.id);
  const spec = questionsOf(call);
  return spec && questionBody({ ...spec, expires_after_ms }, call.id);
}

/** Whatever is no decision of a person here is left to the terminal. */
function decisionReply(decision: Decision): object {
  if (decision.behavior === 'held') return NO_DECISION;
  const { behavior } = decision;
  const said =
    behavior === 'deny'
      ? { behavior, message: decision.message }
      : {
          behavior,
          updatedInput: decision.input,
          ...(decision.rules.length > 0 && { updatedPermissions: decision.rules }),
        };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: said } };
}
