// Holds approvals that were granted but never acted on, each for one use: when the agent repeats the identical action, it
// is allowed without asking again. Pure memory of one process; whether an approval may be reused is up to the adapter.
import { approvalOutcome, hasEnded } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalRequest, AskView } from '../../core/views.ts';

type Action = Pick<ApprovalRequest, 'tool_name' | 'input'> & {
  /** What else has to be identical, where tool and input do not say everything that was allowed. */
  limits?: string | undefined;
};

export type UnusedApprovals = ReturnType<typeof createUnusedApprovals>;

export function createUnusedApprovals() {
  const granted = new Map<string, string>();
  const keyOf = ({ tool_name, input, limits = '' }: Action) => canonical([tool_name, input, limits]);
  const add = (action: Action, askId: string) => void granted.set(keyOf(action), askId);
  return {
    add,
    /** Adds an approval as it was answered, if it was granted. */
    addAnswered(ask: AskView, limits?: string): void {
      if (ask.kind !== 'approval' || !hasEnded(ask)) return;
      const { tool_name, input } = ask.request;
      const outcome = approvalOutcome(ask, input);
      if (outcome.allowed) add({ tool_name, input: outcome.input, limits }, ask.ask_id);
    },
    /** The ask that granted exactly this action; it is removed. */
    take(action: Action): string | undefined {
      const key = keyOf(action);
      const askId = granted.get(key);
      granted.delete(key);
      return askId;
    },
    isEmpty: () => granted.size === 0,
  };
}
