// Resumes a run whose Codex process ended with open asks: writes the message that starts the next turn, and holds the
// approvals granted meanwhile until Codex repeats the requests, which it forgets with the process.
import type { ApprovalAskView, AskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { callIdOf } from '../kit/ask-ids.ts';
import { resumption } from '../kit/resume-message.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';
import { reusableFor } from './approval-reuse.ts';
import type { UnsentMessages } from './model-messages.ts';
import type { Rollouts } from './rollouts.ts';

export async function resumeTurn(
  context: AgentContext,
  threadId: string,
  unused: UnusedApprovals,
  rollouts: Rollouts,
): Promise<UnsentMessages> {
  const { due, ...message } = await resumption(context);
  await addUnused(due, threadId, unused, rollouts);
  return message;
}

/** Adds what was approved among `due`, where it may be reused. */
export async function addUnused(
  due: readonly AskView[],
  threadId: string,
  unused: UnusedApprovals,
  rollouts: Rollouts,
): Promise<void> {
  for (const ask of due) {
    if (ask.kind !== 'approval' || isNeverReused(ask)) continue;
    const [, itemId, turnId] = ITEM_AND_TURN.exec(callIdOf(ask)) ?? [];
    const turn = { threadId, turnId };
    const reusable = await reusableFor(ask.request, { turn, itemId }, rollouts);
    if (reusable) unused.addAnswered(ask, reusable.limits);
  }
}

/** A changed action may name files that it was not bound to, and a connection is not shown with its command. */
const isNeverReused = ({ answer, request, tool_call_id }: ApprovalAskView): boolean =>
  Boolean(answer?.updated_input) || request.tool_name === 'network' || ASKED_AGAIN.test(tool_call_id);

/** How release 0.1.0 named an ask that was repeated because a file had changed; later ones have `files`. */
const ASKED_AGAIN = /#\d+$/;

/** A call id that names one item. */
const ITEM_AND_TURN = /^([^:@]+)@(.+)$/;
