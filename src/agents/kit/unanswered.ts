// Decides what becomes of a request whose ask ended without a person's answer: the run is over, or the ask was withdrawn,
// expired or failed. An agent waits for ever for its reply, so it is declined, unless the run is over. Knows no agent.
import { HoldpointProblem } from '../../client/http.ts';
import type { ApprovalOutcome, AskOutcome, Held } from '../../client/outcome.ts';
import type { AgentContext } from '../agent.ts';

type Outcome = ApprovalOutcome | AskOutcome;

/** Every other end came from no person. */
export const isAnswer = ({ status }: Outcome): boolean => status === 'answered' || status === 'declined';

export function endOf(outcome: Outcome): string {
  const why = outcome.justification ?? ('reason' in outcome ? outcome.reason : undefined);
  return `it ended without an answer (${outcome.status}${why && why !== outcome.status ? `: ${why}` : ''})`;
}

/** Resolves to whether the request is to be declined. A run that is over takes no output: its agent must not continue. */
export function reportDeclined(
  context: Pick<AgentContext, 'output'>,
  title: string,
  outcome: Outcome,
): Promise<boolean> {
  return context.output(`What ${title} had asked was declined, because ${endOf(outcome)}.`, { type: 'status' }).then(
    () => true,
    (error: unknown) => error instanceof HoldpointProblem && !['run_state_conflict', 'lease_lost'].includes(error.code),
  );
}

/** The outcome of an ask that waits; only a deferred one is held. */
export function ended<T extends Outcome>(outcome: T | Held): T {
  if (outcome.status === 'held') throw new Error('a blocking ask was held');
  return outcome as T;
}
