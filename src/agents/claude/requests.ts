// Replies to the control requests of Claude Code: PreToolUse hooks, permission requests and elicitations of MCP servers.
// Keeps the open requests, the session's permission rules and whether the run waits for a form. Decisions come from
// decisions.ts and elicitations.ts; only calls of Holdpoint's own tools, which just raise asks, are allowed without one.
import type { AgentContext } from '../agent.ts';
import { createPendingAsks } from '../kit/pending-asks.ts';
import { ABANDONED, ASK_ANYWAY, afterCallReply, type Decision, hookReply, permissionReply } from './asks.ts';
import { createDecisions } from './decisions.ts';
import { createElicitations, isElicitation } from './elicitations.ts';
import { forwardForm, isForm, isOwnTool } from './form.ts';
import type { ClaudeSpec } from './input.ts';
import type { LaunchOptions } from './launch.ts';
import type { Outputs } from './outputs.ts';
import { isAskedInPlan, isHeldFor, modeOf, refusedIn, SKILL_TOOL } from './permission-modes.ts';
import { refusedPlan } from './plan.ts';
import { controlRefusal, controlReply, interrupt, type Suggestion } from './protocol.ts';
import { ruleInSettings } from './resume.ts';
import { createSessionRules } from './session-rules.ts';
import { createSideQuestions } from './side-questions.ts';
import type { StreamEvent, ToolCall } from './stream-events.ts';

type Event<Name extends StreamEvent['event']> = Extract<StreamEvent, { event: Name }>;

interface Connection {
  send(line: string): void;
  outputs: Outputs;
  /** A person could not be asked, so the process must not continue. */
  onFailure(error: unknown): void;
}

export function createRequests(
  context: AgentContext,
  spec: ClaudeSpec,
  options: LaunchOptions,
  { send, outputs, onFailure }: Connection,
) {
  const { known } = options;
  /** By the key of the call, or the request id of the elicitation. */
  const pending = createPendingAsks<string>(context);
  const sideQuestions = createSideQuestions(send);
  const decisions = createDecisions(
    context,
    pending,
    known.filter((ask) => !isElicitation(ask)),
    sideQuestions.ask,
  );
  const answerElicitation = createElicitations(context, pending, known.filter(isElicitation));
  /** By request id, with the call that it is about. */
  const open = new Map<string, ToolCall | undefined>();
  const rules = createSessionRules(options.rules, send);
  /** A skill was used. Calls allowed by a rule never reach this handler. */
  let hasSkill =
    (options.prompt?.startsWith('/') ?? false) || options.rules.some((rule) => rule.startsWith(SKILL_TOOL));
  let hasForm = false;
  let hasAbandonedCall = false;

  const reply = (requestId: string, response: object): void => send(controlReply(requestId, response));
  /** They were allowed with the run, which Claude Code forgets in plan mode. */
  const isOurs = ({ name }: ToolCall): boolean => spec.ask_tools && isOwnTool(name);
  const applyRules = (): Promise<void> => rules.apply(outputs.mode() === 'plan');
  const hasUnanswered = (): boolean => pending.hasUnanswered() || decisions.hasUnconcluded();

  async function hook({ call, requestId, obstacle, isResumed }: Event<'hook'>): Promise<object | undefined> {
    if (isResumed && options.abandonedCalls.has(call.id)) return abandon(requestId);
    if (isForm(call.name)) return displayForm(call, obstacle);
    const mode = modeOf(call, outputs.mode());
    await applyRules();
    if (!isHeldFor(call.name, mode, spec.hold)) {
      const allowedTools = new Set([...rules.tools(), ...(hasSkill ? [SKILL_TOOL] : [])]);
      return hookReply(!isOurs(call) && isAskedInPlan(mode, call, allowedTools) ? ASK_ANYWAY : undefined);
    }
    await outputs.flush();
    // If the process must not exit, or would restart in another folder, its permission request is waited for instead.
    if (!open.has(requestId) || obstacle || call.folder !== undefined || hasUnanswered()) return hookReply(undefined);
    const decision = refusedPlan(call) ?? (await decisions.decide(call, patienceOf(spec.patience_ms)));
    if (decision.behavior === 'held') await outputs.heldOn(call.id);
    return hookReply(decision);
  }

  async function permission({ call, requestId }: Event<'permission'>): Promise<object | undefined> {
    const mode = modeOf(call, outputs.mode());
    await outputs.flush();
    if (!open.has(requestId)) return undefined;
    const decision = isOurs(call)
      ? unchanged(call)
      : (refusedIn(mode, call) ?? refusedPlan(call) ?? (await decisions.decide(call)));
    if (decision.behavior === 'allow') await addRules(call, decision.rules);
    return permissionReply(call, decision);
  }

  async function addRules({ name }: ToolCall, accepted: readonly Suggestion[]): Promise<void> {
    for (const rule of accepted.flatMap((suggestion) => suggestion.rules ?? [])) rules.add(ruleInSettings(rule));
    hasSkill ||= name === SKILL_TOOL;
    await applyRules();
  }

  /** Ends the turn that Claude Code started with the call, before the model gets the prompt. */
  function abandon(requestId: string): undefined {
    hasAbandonedCall = true;
    reply(requestId, hookReply(ABANDONED));
    send(interrupt());
  }

  async function displayForm(call: ToolCall, obstacle: Event<'hook'>['obstacle']): Promise<object> {
    // A person may answer at once, so what the next run needs is stored before the form is displayed.
    await outputs.flush();
    hasForm = true;
    const decision = await forwardForm(context, call, obstacle, spec.ask_tools);
    hasForm = decision.behavior === 'held';
    return hookReply(decision);
  }

  function responseTo(request: Event<'hook' | 'permission' | 'elicitation'>): Promise<object | undefined> {
    if (request.event === 'hook') return hook(request);
    if (request.event === 'permission') return permission(request);
    return answerElicitation(request.requestId, request.elicited, outputs.flush());
  }

  return {
    receive(request: Event<'hook' | 'permission' | 'after_call' | 'elicitation' | 'unknown_request' | 'response'>) {
      const { requestId } = request;
      if (request.event === 'response') {
        sideQuestions.received(requestId, request.response);
        return rules.received(requestId, request.response);
      }
      if (request.event === 'after_call')
        return reply(requestId, afterCallReply(request.hookEvent, decisions.changedInput(request.call)));
      if (request.event === 'unknown_request')
        return send(controlRefusal(requestId, `Holdpoint does not know the request ${request.subtype}.`));
      open.set(requestId, 'call' in request ? request.call : undefined);
      responseTo(request).then(
        (response) => {
          if (response && open.has(requestId)) reply(requestId, response);
        },
        (error: unknown) => {
          if (open.has(requestId)) onFailure(error);
        },
      );
    },
    /** Claude Code no longer waits for a reply. */
    cancelled(requestId: string): void {
      const call = open.get(requestId);
      open.delete(requestId);
      if (call) decisions.cancelled(call);
      pending.get(requestId)?.withdraw('Claude Code no longer waits for it');
    },
    callEnded: decisions.callEnded,
    /** Whether the process may exit on a call of that tool. */
    mayExitOn: (name: string) => isForm(name) || isHeldFor(name, outputs.mode(), spec.hold),
    /** A form is displayed: the run is held on it, and may end before the process does. */
    hasForm: () => hasForm,
    /** Whether the turn that has just ended was started by an abandoned call. */
    endsAbandonedCall(): boolean {
      const had = hasAbandonedCall;
      hasAbandonedCall = false;
      return had;
    },
    /** Whether an ask has no answer yet, or the model may not have got it. */
    hasUnanswered: () => hasUnanswered() || hasForm,
    /** The process is gone: nothing can be answered through it. */
    close(): void {
      open.clear();
      pending.close();
    },
  };
}

const patienceOf = (ms: number): AbortSignal => (ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms));

const unchanged = ({ input }: ToolCall): Decision => ({ behavior: 'allow', input, rules: [] });
