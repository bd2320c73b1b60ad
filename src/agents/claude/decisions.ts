// Gets one decision per tool call of Claude Code by asking a person, whether the call arrives as a hook, as a permission
// request, or as both. Owns what was decided and reports what became of each answer. Without an explicit allow a call is
// denied or stays open. A decision is for one exact call: a reused call id gets a new ask.
import type { AskOptions } from '../../client/asking.ts';
import { isFinalRefusal } from '../../client/http.ts';
import { type ApprovalOutcome, type AskOutcome, hasEnded } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import type { QuestionInput } from '../../core/question.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { approvalSpecOf, callIdOf, createKnownAsks, questionSpecOf } from '../kit/ask-ids.ts';
import { type PendingAsks, withdrawAsk } from '../kit/pending-asks.ts';
import { approvalDecision, approvalOf, type Decision, QUESTION_TOOL, questionDecision, questionsOf } from './asks.ts';
import { type CallName, keyOf, type ToolCall } from './stream-events.ts';

type Ask =
  | { kind: 'question'; spec: AskSpec & { id: string } }
  | { kind: 'approval'; spec: ApproveSpec & { id: string } };

interface Decided {
  call: ToolCall;
  ask: Ask;
  decision: Promise<Decision>;
  /** The input that was allowed: a person may have changed it. */
  allowed?: Record<string, unknown>;
}

/** `known`: the asks of this run from before its process was restarted. `explain` replies to a comment on a call. */
export function createDecisions(
  context: AgentContext,
  pending: PendingAsks<string, object>,
  known: readonly AskView[],
  explain: (call: ToolCall, comment: string, signal: AbortSignal) => Promise<string | undefined>,
) {
  const decided = new Map<string, Decided>();
  /** By call, what to report about its ask when it ends. */
  const unconcluded = new Map<string, () => Promise<unknown>>();
  const earlier = createKnownAsks(known);

  /** The ask that this call has already, or a new one. Undefined: its questions are not well formed. */
  function askFor(call: ToolCall): Ask | undefined {
    if (call.name === QUESTION_TOOL) {
      const stored = earlier.take('question', (ask) => isOfCall(ask, call) && hasSameQuestions(ask, call));
      const spec = stored ? questionSpecOf(stored) : questionsOf(call);
      return spec && { kind: 'question', spec: stored ? spec : earlier.fresh(spec) };
    }
    const stored =
      earlier.take('approval', (ask) => isOfCall(ask, call) && isSameAction(ask, call)) ??
      earlier.take('approval', (ask) => isUnused(ask) && isSameAction(ask, call));
    return { kind: 'approval', spec: stored ? approvalSpecOf(stored) : earlier.fresh(approvalOf(call)) };
  }

  function start(call: ToolCall, ask: Ask, patience: AbortSignal | undefined): Promise<Decision> {
    const decision = raise(call, ask, patience);
    const entry: Decided = { call, ask, decision };
    decided.set(keyOf(call), entry);
    decision.then(
      (made) => {
        if (made.behavior === 'allow') entry.allowed = made.input;
      },
      () => {},
    );
    return decision;
  }

  async function raise(call: ToolCall, { kind, spec }: Ask, patience: AbortSignal | undefined): Promise<Decision> {
    const key = keyOf(call);
    const { options, done } = pending.open(key, {});
    const mode = patience ? ('deferred' as const) : ('blocking' as const);
    // A process that may exit and be held without one reads nothing meanwhile.
    const heard: AskOptions = patience ? {} : { onComment: (text, signal) => explain(call, text, signal) };
    try {
      const outcome =
        kind === 'question'
          ? await context.ask({ mode, ...spec }, { ...options, ...heard, patience, acknowledge: 'later' })
          : await context.approve({ mode, ...spec }, { ...options, ...heard, patience });
      const { ask_id } = outcome;
      if (outcome.status === 'held') {
        unconcluded.set(key, () => withdrawAsk(context, ask_id, SETTLED_IN_CLAUDE));
        return { behavior: 'held' };
      }
      if (kind === 'approval') return approvalDecision(spec, outcome as ApprovalOutcome);
      unconcluded.set(key, () => context.acknowledge(ask_id));
      return questionDecision(call, outcome as AskOutcome);
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      return { behavior: 'deny', message: `The person could not be asked: ${error.detail}` };
    } finally {
      done();
    }
  }

  /** Claude Code did not exit on the call after all: waits for the ask that the run was held on. */
  async function waitForHeld(entry: Decided): Promise<Decision> {
    const decision = await entry.decision;
    if (decision.behavior !== 'held') return decision;
    const key = keyOf(entry.call);
    const current = decided.get(key);
    if (current && current !== entry) return current.decision;
    unconcluded.delete(key);
    return start(entry.call, entry.ask, new AbortController().signal);
  }

  return {
    /** `patience`: after it, the run can be held on the call without a process. */
    async decide(call: ToolCall, patience?: AbortSignal): Promise<Decision> {
      const entry = decided.get(keyOf(call));
      if (entry && isSameCall(entry, call)) return patience ? entry.decision : waitForHeld(entry);
      if (pending.get(keyOf(call)))
        return { behavior: 'deny', message: 'Another call with the same id is still being decided.' };
      const ask = askFor(call);
      return ask ? start(call, ask, patience) : { behavior: 'deny', message: 'The questions are not well formed.' };
    },
    /** Claude Code no longer waits for the decision. */
    cancelled(call: CallName): void {
      pending.get(keyOf(call))?.withdraw(SETTLED_IN_CLAUDE);
      decided.delete(keyOf(call));
    },
    /** The input that a person allowed in place of the call's own. */
    changedInput(call: CallName): Record<string, unknown> | undefined {
      const { ask, allowed, call: asked } = decided.get(keyOf(call)) ?? {};
      const isChanged = ask?.kind === 'approval' && asked && !isOneOf(asked.input, [allowed]);
      return isChanged ? allowed : undefined;
    },
    /** The model has the result of the call: the decision, or what Claude Code decided by itself. */
    async callEnded(call: CallName): Promise<void> {
      const key = keyOf(call);
      const conclude = unconcluded.get(key);
      decided.delete(key);
      unconcluded.delete(key);
      await conclude?.();
    },
    /** Whether the model has yet to get the result of a call that was answered or that the run is held on. */
    hasUnconcluded: () => unconcluded.size > 0,
  };
}

const SETTLED_IN_CLAUDE = 'settled in Claude Code itself';

const isOfCall = (ask: AskView, { id }: ToolCall): boolean => ask.tool_call_id === id || callIdOf(ask) === id;

/** Answered while no process was there to act on it. */
const isUnused = (ask: AskView): boolean => hasEnded(ask) && ask.delivery.state === 'due';

/** A permission request follows the hook of the same call, perhaps with the input as a person changed it. */
const isSameCall = ({ call, allowed }: Decided, { name, input, folder }: ToolCall): boolean =>
  call.name === name && call.folder === folder && isOneOf(input, [call.input, allowed]);

const isSameAction = ({ request, answer }: ApprovalAskView, { name, input, folder }: ToolCall): boolean =>
  request.tool_name === name &&
  request.work_folder === folder &&
  isOneOf(input, [request.input, answer?.updated_input]);

const isOneOf = (input: object, inputs: readonly (object | undefined)[]): boolean =>
  inputs.some((other) => other && canonical(other) === canonical(input));

function hasSameQuestions({ request }: QuestionAskView, call: ToolCall): boolean {
  const questions = questionsOf(call)?.questions;
  return questions !== undefined && canonical(request.questions.map(textsOf)) === canonical(questions.map(textsOf));
}

const textsOf = ({ question, options = [] }: QuestionInput): string[] => [
  question.trim(),
  ...options.map(({ label }) => label.trim()),
];
