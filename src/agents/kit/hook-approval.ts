// Raises an approval from a hook process of a person's own agent and waits for its outcome. Parallel calls of a turn have one
// process each; they share the run of the turn, and the last one ends it. A process that its agent gave up withdraws its
// ask. Knows no agent.
import type { Client } from '../../client/client.ts';
import { HoldpointProblem, HoldpointUnreachable } from '../../client/http.ts';
import type { ApprovalOutcome } from '../../client/outcome.ts';
import type { ApproveSpec } from '../../client/spec.ts';
import type { HookCall, HookProcessContext } from '../agent.ts';
import { type Conversation, endRun, openAttachedRun, settling, withdrawAbandoned } from './attached-session.ts';
import { withdrawAsk } from './pending-asks.ts';

export interface HookApproval {
  conversation: Conversation;
  /** The turn that calls, where the agent says which; otherwise the run that is active. */
  turnId?: string;
  spec: ApproveSpec & { id: string };
  /** Why the ask is withdrawn when the agent ends the process. */
  givenUp: string;
}

export async function approveInHook(
  { client, waits, signal, record }: HookProcessContext,
  { conversation, turnId, spec, givenUp }: HookApproval,
): Promise<ApprovalOutcome> {
  const turn = turnId === undefined ? {} : { id: turnId };
  for (;;) {
    const { run, ...attached } = await openAttachedRun(client, waits, conversation, turn, signal);
    const removeRecord = record({ run_id: run.run_id, call_id: spec.id });
    let askId: string | undefined;
    const raised = (id: string) => {
      askId = id;
    };
    try {
      const outcome = await attached.approve(spec, { raised });
      await endIfLast(client, run.run_id);
      await removeRecord();
      return outcome as ApprovalOutcome;
    } catch (error) {
      if (askId === undefined) {
        await removeRecord();
        // Another call of the turn has ended the run before this one could ask in it.
        if (error instanceof HoldpointProblem && error.code === 'run_state_conflict') continue;
        throw error;
      }
      // Its agent waits. The record stays, so that what ends the asks of killed processes ends this one.
      if (error instanceof HoldpointUnreachable) throw error;
      const isWithdrawn = await withdrawAsk(settling(client), askId, givenUp);
      await endIfLast(client, run.run_id);
      if (isWithdrawn) await removeRecord();
      throw error;
    }
  }
}

/** The decision counts even if the end of the run could not be reported. */
const endIfLast = (client: Client, runId: string): Promise<void> => endRun(client, runId).catch(() => {});

/** Ends the ask of a hook process that was killed. */
export async function endAbandonedCall(client: Client, call: HookCall, givenUp: string): Promise<void> {
  await withdrawAbandoned(client, call, givenUp);
  await endRun(client, call.run_id);
}
