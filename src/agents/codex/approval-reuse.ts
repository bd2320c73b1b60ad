// Decides when an approval that was granted but never acted on may be reused for the identical request. One bound to file
// contents is never reused; one for a sandboxed command covers nothing outside the sandbox, which is read from the rollout
// file because the request does not say it. Where this is uncertain, the person is asked again.
import type { ApproveSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';
import { type ApprovalAsk, PREFIX } from './approvals.ts';
import type { TurnRef } from './protocol.ts';
import type { RecordedCall, Rollouts } from './rollouts.ts';

type Shown = Pick<ApproveSpec, 'tool_name' | 'input' | 'reason' | 'suggestions' | 'files'>;

/** What an approval may be reused for: the same action, within `limits` if given. Undefined: for nothing. */
export async function reusableFor(
  shown: Shown,
  { turn, itemId }: { turn: TurnRef | undefined; itemId: string | undefined },
  rollouts: Rollouts,
): Promise<{ limits?: string } | undefined> {
  if (shown.files !== undefined) return undefined;
  if (shown.tool_name !== 'Bash' || shown.input.additional_permissions !== undefined) return {};
  const call = itemId === undefined ? undefined : await rollouts.recordedCall(turn, itemId);
  if (typeof call === 'object') return call.isUnsandboxed ? {} : { limits: limitsOf(call, shown) };
  return isEscalation(shown) && !rollouts.asksForEveryCommand(turn) ? {} : undefined;
}

/** The ask that allowed exactly this action; it is not found a second time. */
export async function takeUnused(
  { spec, itemId }: ApprovalAsk,
  input: Record<string, unknown>,
  turn: TurnRef | undefined,
  unused: UnusedApprovals,
  rollouts: Rollouts,
): Promise<string | undefined> {
  const action = { tool_name: spec.tool_name, input };
  const found = unused.take(action);
  if (found !== undefined || unused.isEmpty() || itemId === undefined) return found;
  const call = await rollouts.recordedCall(turn, itemId);
  return typeof call === 'object' ? unused.take({ ...action, limits: limitsOf(call, spec) }) : undefined;
}

/** A call that failed in the sandbox may ask again, to run without it; only the reason differs. */
const limitsOf = ({ limits }: RecordedCall, { reason }: Shown): string => canonical([limits, reason ?? '']);

/** Under `on-request`, unless a rule asks: the model gives a reason, and Codex proposes a rule. */
const isEscalation = ({ reason, suggestions }: Shown): boolean =>
  Boolean(reason) && (suggestions ?? []).some((offer) => Object(offer).id === PREFIX);
