// What Claude Code is replied when it asks: before a tool is used, for a permission, for one of its MCP servers. Owns which
// of its requests are open, what they open up, and whether the run is held on a form. What a person decides
// comes from the desk; nothing is allowed here but our own tools, which only ask.
import type { AgentContext } from '../agent.ts';
import { ASK_ANYWAY, type Decision, hookReply, OVER, permissionReply } from './asks.ts';
import { createDesk } from './decisions.ts';
import { createElicitations, isElicitation } from './elicitations.ts';
import { forwardForm, isForm, isOwnTool } from './form.ts';
import type { ClaudeSpec } from './input.ts';
import type { Beginning } from './launch.ts';
import type { Outputs } from './outputs.ts';
import { isAskedInPlan, isHeldFor, modeOf, refusedIn, SKILL_TOOL } from './permission-modes.ts';
import { refusedPlan } from './plan.ts';
import { controlRefusal, controlReply, interrupt, type Suggestion } from './protocol.ts';
import { ruleInSettings } from './resume.ts';
import { createRules } from './session-rules.ts';
import type { CallName, Heard, ToolCall } from './stream-events.ts';

type Before = Extract<Heard, { heard: 'before' }>;
type Permission = Extract<Heard, { heard: 'permission' }>;
type Elicitation = Extract<Heard, { heard: 'elicitation' }>;
type Unknown = Extract<Heard, { heard: 'unknown_request' }>;
type Reply = Extract<Heard, { heard: 'reply' }>;

export interface Replies {
  to(request: Before | Permission | Elicitation | Unknown | Reply): void;
  takenBack(requestId: string): void;
  /** The model is about to be told the result of the call. */
  settled(call: CallName): Promise<void>;
  /** Whether the process may end on a call of that tool. */
  mayEndOn(toolName: string): boolean;
  /** A form is displayed: the run is held on it, and may be over before the process is. */
  hasForm(): boolean;
  /** Whether the turn that has just ended was one that nobody wanted: its end is no end. */
  wasDismissed(): boolean;
  /** Whether somebody still has to answer. */
  owes(): boolean;
  close(): void;
}

interface Line {
  send(line: string): void;
  outputs: Outputs;
  /** Nobody can be asked, so nothing may go on. */
  fail(error: unknown): void;
}

export function createReplies(
  context: AgentContext,
  spec: ClaudeSpec,
  beginning: Beginning,
  { send, outputs, fail }: Line,
): Replies {
  const desk = createDesk(
    context,
    beginning.known.filter((ask) => !isElicitation(ask)),
  );
  const elicitations = createElicitations(context, beginning.known.filter(isElicitation));
  const open = new Map<string, ToolCall>();
  const rules = createRules(beginning.rules, send);
  // One that a rule lets through is not heard of here.
  let hasSkill =
    (beginning.prompt?.startsWith('/') ?? false) || beginning.rules.some((rule) => rule.startsWith(SKILL_TOOL));
  let hasForm = false;
  let isDismissed = false;

  const reply = (requestId: string, response: object): void => send(controlReply(requestId, response));
  /** They were allowed with the run, and Claude Code forgets that while it plans. */
  const isOurs = ({ name }: ToolCall): boolean => spec.askTools && isOwnTool(name);

  const suited = (): Promise<void> => rules.suit(outputs.mode() === 'plan');
  /** The tools of which calls may be let through unasked, besides what its user's settings allow. */
  const opened = (): ReadonlySet<string> => new Set([...rules.tools(), ...(hasSkill ? [SKILL_TOOL] : [])]);

  async function before(heard: Before): Promise<void> {
    const { call, requestId, hindrance, isKept } = heard;
    if (isKept && beginning.over.has(call.id)) return dismiss(requestId);
    if (isForm(call.name)) return displayForm(heard);
    const mode = modeOf(call, outputs.mode());
    await suited();
    if (!open.has(requestId)) return;
    if (!isHeldFor(call.name, mode, spec.hold)) {
      const isAsked = !isOurs(call) && isAskedInPlan(mode, call, opened());
      return reply(requestId, hookReply(isAsked ? ASK_ANYWAY : undefined));
    }
    await outputs.flush();
    if (!open.has(requestId)) return;
    // Where something would be lost with the process, Claude Code asks for a permission, and waits for that: another one
    // begins in the folder of the session.
    if (hindrance || call.folder !== undefined || desk.owes() || elicitations.owes())
      return reply(requestId, hookReply(undefined));
    const decision = refusedPlan(call) ?? (await desk.decide(call, patienceOf(spec.patienceMs)));
    if (decision.behavior === 'held') await outputs.heldOn(call.id);
    reply(requestId, hookReply(decision));
  }

  async function permission({ call, requestId }: Permission): Promise<void> {
    const mode = modeOf(call, outputs.mode());
    await outputs.flush();
    if (!open.has(requestId)) return;
    const refused = refusedIn(mode, call) ?? refusedPlan(call);
    const decision = isOurs(call) ? asItIs(call) : (refused ?? (await desk.decide(call)));
    if (decision.behavior === 'allow') await openUp(call, decision.rules);
    reply(requestId, permissionReply(call, decision));
  }

  /** By the rules that were taken with it, or because it is a skill. */
  async function openUp({ name }: ToolCall, taken: readonly Suggestion[]): Promise<void> {
    for (const rule of taken.flatMap((suggestion) => suggestion.rules ?? [])) rules.take(ruleInSettings(rule));
    hasSkill ||= name === SKILL_TOOL;
    await suited();
  }

  async function passOn({ requestId, asked }: Elicitation): Promise<void> {
    const answer = await elicitations.answer(requestId, asked, outputs.flush());
    if (answer) reply(requestId, answer);
  }

  /** The turn that Claude Code began with it by itself ends with it: no model hears of it before the prompt. */
  function dismiss(requestId: string): void {
    isDismissed = true;
    reply(requestId, hookReply(OVER));
    send(interrupt());
  }

  async function displayForm({ call, requestId, hindrance }: Before): Promise<void> {
    // A person may be quick: what the next run must know is kept before there is anything to answer.
    await outputs.flush();
    hasForm = true;
    const decision = await forwardForm(context, call, hindrance, spec.askTools);
    hasForm = decision.behavior === 'held';
    reply(requestId, hookReply(decision));
  }

  return {
    to(request) {
      const { heard, requestId } = request;
      if (heard === 'reply') return rules.replied(requestId, request.response);
      if (heard === 'unknown_request')
        return send(controlRefusal(requestId, `Holdpoint does not know the request ${request.subtype}.`));
      if (heard === 'elicitation') return void passOn(request).catch(fail);
      open.set(requestId, request.call);
      const replying = heard === 'before' ? before(request) : permission(request);
      void replying.catch((error: unknown) => {
        if (open.has(requestId)) fail(error);
      });
    },
    takenBack(requestId) {
      const call = open.get(requestId);
      if (call) desk.takenBack(call);
      elicitations.takenBack(requestId);
      open.delete(requestId);
    },
    settled: (call) => desk.settled(call),
    mayEndOn: (name) => isForm(name) || isHeldFor(name, outputs.mode(), spec.hold),
    hasForm: () => hasForm,
    wasDismissed() {
      const was = isDismissed;
      isDismissed = false;
      return was;
    },
    owes: () => desk.owes() || elicitations.owes() || hasForm,
    close() {
      desk.close();
      elicitations.close();
    },
  };
}

const patienceOf = (ms: number): AbortSignal => (ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms));

const asItIs = ({ input }: ToolCall): Decision => ({ behavior: 'allow', input, rules: [] });
