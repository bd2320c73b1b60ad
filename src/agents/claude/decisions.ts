// The desk where calls of Claude Code are carried to a person and back. A call is one ask, whichever way Claude Code
// brings it: before the tool is used, or because it needs a permission, or both. Owns what is open and what was decided.
// Decides nothing: without an explicit allow Claude Code hears a no, or goes on waiting. A decision is for one call, to
// the letter: an id that comes again proves nothing.
import { HoldpointProblem } from '../../client/http.ts';
import { type ApprovalOutcome, type AskOutcome, hasEnded } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { approvalSpecOf, callIdOf, createKnownAsks, questionSpecOf } from '../kit/ask-ids.ts';
import { createOpenAsk, type OpenAsk, takeBack } from '../kit/pending-asks.ts';
import { approvalDecision, approvalOf, type Decision, QUESTION_TOOL, questionDecision, questionsOf } from './asks.ts';
import { type CallName, keyOf, type ToolCall } from './stream-events.ts';

export interface Desk {
  /** `patience`: the call can be held without a process, once so long nobody has answered. */
  decide(call: ToolCall, patience?: AbortSignal): Promise<Decision>;
  /** Claude Code settled the call without us. */
  takenBack(call: CallName): void;
  /** The model has the result of the call: the answer, or what Claude Code has decided by itself. */
  settled(call: CallName): Promise<void>;
  /** The process is gone: nothing that is open can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer, also to a call on which the process is about to end. */
  owes(): boolean;
}

type Asked =
  | { kind: 'question'; spec: AskSpec & { id: string } }
  | { kind: 'approval'; spec: ApproveSpec & { id: string } };

interface Made {
  call: ToolCall;
  /** As it was put to a person. */
  asked: Asked;
  deciding: Promise<Decision>;
  /** What may be run, once that is decided: a person may have changed it. */
  allowed?: Record<string, unknown>;
}

/** `known`: what this run had asked before it was taken up again. */
export function createDesk(context: AgentContext, known: readonly AskView[]): Desk {
  const decisions = new Map<string, Made>();
  const open = new Map<string, OpenAsk>();
  const unacknowledged = new Map<string, string>();
  /** What Claude Code was told to end on, by the ask that it waits for. */
  const held = new Map<string, string>();
  const earlier = createKnownAsks(known);
  /** Something was open when the process was gone. */
  let wasLeft = false;

  async function put(
    call: ToolCall,
    { kind, spec }: Asked,
    { manner }: OpenAsk,
    patience: AbortSignal | undefined,
  ): Promise<Decision> {
    const mode = patience ? ('deferred' as const) : ('blocking' as const);
    const outcome =
      kind === 'question'
        ? await context.ask({ mode, ...spec }, { ...manner, patience, acknowledge: 'later' })
        : await context.approve({ mode, ...spec }, { ...manner, patience });
    if (outcome.status === 'held') {
      held.set(keyOf(call), outcome.ask_id);
      return { behavior: 'held' };
    }
    if (kind === 'approval') return approvalDecision(spec, outcome as ApprovalOutcome);
    unacknowledged.set(keyOf(call), outcome.ask_id);
    return questionDecision(call, outcome as AskOutcome);
  }

  /** What a person is shown: the ask that there is for the call already, or one of its own. */
  function askedFor(call: ToolCall): Asked | undefined {
    if (call.name === QUESTION_TOOL) {
      const before = earlier.take('question', (ask) => isOfCall(ask, call) && asksTheSame(ask, call));
      if (before) return { kind: 'question', spec: questionSpecOf(before) };
      const spec = questionsOf(call);
      return spec && { kind: 'question', spec: earlier.fresh(spec) };
    }
    const before =
      earlier.take('approval', (ask) => isOfCall(ask, call) && showsTheSame(ask, call)) ??
      earlier.take('approval', (ask) => isStanding(ask) && showsTheSame(ask, call));
    return { kind: 'approval', spec: before ? approvalSpecOf(before) : earlier.fresh(approvalOf(call)) };
  }

  function make(call: ToolCall, asked: Asked, patience: AbortSignal | undefined): Promise<Decision> {
    const key = keyOf(call);
    const entry = createOpenAsk(context);
    open.set(key, entry);
    const deciding = put(call, asked, entry, patience)
      .catch((error: unknown): Decision => {
        if (!(error instanceof HoldpointProblem) || error.status >= 500 || error.code === 'lease_lost') throw error;
        return { behavior: 'deny', message: `The person could not be asked: ${error.detail}` };
      })
      .finally(() => open.delete(key));
    const making: Made = { call, asked, deciding };
    decisions.set(key, making);
    deciding.then(
      (decision) => {
        if (decision.behavior === 'allow') making.allowed = decision.input;
      },
      () => {},
    );
    return deciding;
  }

  /** Claude Code did not end on the call after all: now its process waits for the ask that is open. */
  async function waitFor(made: Made): Promise<Decision> {
    const decision = await made.deciding;
    if (decision.behavior !== 'held') return decision;
    const key = keyOf(made.call);
    const now = decisions.get(key);
    if (now && now !== made) return now.deciding;
    held.delete(key);
    return make(made.call, made.asked, new AbortController().signal);
  }

  return {
    decide(call, patience) {
      const made = decisions.get(keyOf(call));
      if (made && isSameCall(made, call)) return patience ? made.deciding : waitFor(made);
      if (open.has(keyOf(call)))
        return Promise.resolve({ behavior: 'deny', message: 'Another call with the same id is still being decided.' });
      const asked = askedFor(call);
      if (!asked) return Promise.resolve({ behavior: 'deny', message: 'The questions are not well formed.' });
      return make(call, asked, patience);
    },
    takenBack(call) {
      open.get(keyOf(call))?.takeBack(ELSEWHERE);
      decisions.delete(keyOf(call));
    },
    async settled(call) {
      const key = keyOf(call);
      decisions.delete(key);
      const askId = unacknowledged.get(key);
      unacknowledged.delete(key);
      if (askId !== undefined) await context.acknowledge(askId);
      const waiting = held.get(key);
      held.delete(key);
      if (waiting !== undefined) await takeBack(context, waiting, ELSEWHERE);
    },
    close() {
      wasLeft ||= open.size > 0;
      for (const ask of open.values()) ask.leave();
    },
    owes: () => wasLeft || open.size > 0 || unacknowledged.size > 0 || held.size > 0,
  };
}

const ELSEWHERE = 'settled in Claude Code itself';

const isOfCall = (ask: AskView, { id }: ToolCall): boolean => ask.tool_call_id === id || callIdOf(ask) === id;

/** Allowed while no process was there to do it. */
const isStanding = (ask: AskView): boolean => hasEnded(ask) && ask.delivery.state === 'due';

/** A call comes twice: as a PreToolUse hook, then as can_use_tool. The second may carry the input as a person changed it. */
function isSameCall({ call, allowed }: Made, { name, input, folder }: ToolCall): boolean {
  const wanted = canonical(input);
  if (call.name !== name || call.folder !== folder) return false;
  return canonical(call.input) === wanted || (!!allowed && canonical(allowed) === wanted);
}

function showsTheSame({ request, answer }: ApprovalAskView, { name, input, folder }: ToolCall): boolean {
  const { tool_name, input: shown, work_folder } = request;
  if (tool_name !== name || work_folder !== folder) return false;
  const { updated_input: changed } = answer ?? {};
  const wanted = canonical(input);
  return canonical(shown) === wanted || (!!changed && canonical(changed) === wanted);
}

function asksTheSame({ request }: QuestionAskView, call: ToolCall): boolean {
  const wanted = questionsOf(call)?.questions;
  return wanted !== undefined && canonical(request.questions.map(wordsOf)) === canonical(wanted.map(wordsOf));
}

const wordsOf = ({
  question,
  options = [],
}: {
  question: string;
  options?: readonly { label: string }[] | undefined;
}) => [question.trim(), ...options.map(({ label }) => label.trim())];
