// The desk where calls of Claude Code are carried to a person and back. A call is one ask, whichever way Claude Code
// brings it: before the tool is used, or because it needs a permission, or both. Owns what is open and what was decided.
// Decides nothing: without an explicit allow Claude Code hears a no, or goes on waiting.
import { HoldpointProblem } from '../client/http.ts';
import { type ApprovalOutcome, hasEnded } from '../client/outcome.ts';
import type { ApproveSpec } from '../client/spec.ts';
import { canonical } from '../core/digest.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../core/views.ts';
import type { AgentContext } from './agent.ts';
import {
  approvalDecision,
  approvalOf,
  type Decision,
  QUESTION_TOOL,
  questionDecision,
  questionsOf,
} from './claude-asks.ts';
import type { ToolCall } from './claude-hearing.ts';

export interface Desk {
  /** `patience`: the call can be held without a process, once so long nobody has answered. */
  decide(call: ToolCall, patience?: AbortSignal): Promise<Decision>;
  /** Claude Code settled the call without us. */
  takenBack(callId: string): void;
  /** The model has the result of the call, and thereby the answer. */
  settled(callId: string): Promise<void>;
  /** The process is gone: nothing that is open can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer. */
  owes(): boolean;
}

interface Open {
  stop: AbortController;
  askId?: string;
}

/** `known`: what this run had asked before it was taken up again. */
export function createDesk(context: AgentContext, known: readonly AskView[]): Desk {
  const decisions = new Map<string, Promise<Decision>>();
  const open = new Map<string, Open>();
  const unacknowledged = new Map<string, string>();
  const asked = new Map(known.map((ask) => [ask.tool_call_id, ask]));
  /** Allowed while no process was there to do it: each for one call, to the letter. */
  const standing = known.filter((ask) => ask.kind === 'approval' && hasEnded(ask) && ask.delivery.state === 'due');

  async function put(call: ToolCall, entry: Open, patience: AbortSignal | undefined): Promise<Decision> {
    const manner = {
      signal: entry.stop.signal,
      patience,
      raised: (askId: string) => {
        entry.askId = askId;
      },
    };
    const mode = patience ? ('deferred' as const) : ('blocking' as const);
    if (call.name === QUESTION_TOOL) {
      const spec = asked.has(call.id) ? questionAgain(asked.get(call.id)) : questionsOf(call);
      if (!spec) return { behavior: 'deny', message: 'The questions are not well formed.' };
      const outcome = await context.ask({ mode, ...spec }, { ...manner, acknowledge: 'later' });
      if (outcome.status === 'held') return { behavior: 'held' };
      unacknowledged.set(call.id, outcome.ask_id);
      return questionDecision(call, outcome);
    }
    const spec = asked.has(call.id) ? approvalAgain(asked.get(call.id)) : (takeStanding(call) ?? approvalOf(call));
    const outcome = await context.approve({ mode, ...spec }, manner);
    if (outcome.status === 'held') return { behavior: 'held' };
    return approvalDecision(call, outcome as ApprovalOutcome);
  }

  function takeStanding({ name, input }: ToolCall) {
    const wanted = canonical(input);
    const at = standing.findIndex((ask) => {
      const { tool_name, input: shown } = ask.request as ApprovalRequest;
      const { updated_input: changed } = ask.answer ?? {};
      return tool_name === name && (canonical(shown) === wanted || (changed && canonical(changed) === wanted));
    });
    return at < 0 ? undefined : approvalAgain(standing.splice(at, 1)[0]);
  }

  return {
    decide(call, patience) {
      const made = decisions.get(call.id);
      if (made) return made;
      const entry: Open = { stop: new AbortController() };
      open.set(call.id, entry);
      const deciding = put(call, entry, patience)
        .catch((error: unknown): Decision => {
          if (!(error instanceof HoldpointProblem) || error.status >= 500 || error.code === 'lease_lost') throw error;
          return { behavior: 'deny', message: `The person could not be asked: ${error.detail}` };
        })
        .finally(() => open.delete(call.id));
      deciding.catch(() => {});
      decisions.set(call.id, deciding);
      return deciding;
    },
    takenBack(callId) {
      const entry = open.get(callId);
      entry?.stop.abort(new Error('settled in Claude Code itself'));
      if (entry?.askId !== undefined)
        void context.withdraw(entry.askId, 'settled in Claude Code itself').catch(() => {});
    },
    async settled(callId) {
      const askId = unacknowledged.get(callId);
      unacknowledged.delete(callId);
      if (askId !== undefined) await context.acknowledge(askId);
    },
    close() {
      for (const { stop } of open.values()) stop.abort(new Error('Claude Code is gone'));
    },
    owes: () => open.size > 0 || unacknowledged.size > 0,
  };
}

/** An ask as it was raised, so that raising it again finds it. */
function approvalAgain(ask: AskView | undefined): ApproveSpec & { id: string } {
  const { tool_call_id: id, mode, request } = ask as AskView;
  const { tool_name, input, reason, scope, suggestions, diff, lineage } = request as ApprovalRequest;
  return { id, mode: mode as 'blocking' | 'deferred', tool_name, input, reason, scope, suggestions, diff, lineage };
}

function questionAgain(ask: AskView | undefined) {
  const { tool_call_id: id, mode, request } = ask as AskView;
  const { questions, context, lineage } = request as UserQuestionRequest;
  return { id, mode, questions, context, lineage };
}
