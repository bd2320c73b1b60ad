// Decides approvals without a person, by settings of a person only. Silence, time and failure never decide.
import type { ApprovalContent } from './ask.ts';
import type { Run } from './run.ts';
import type { Permissions, Session } from './session.ts';

export interface PolicyDecision {
  behavior: 'allow' | 'deny';
  answeredBy: string;
}

/** The session's own setting, else that of its run's worker, else approvals are asked for. */
export const permissionsOf = (
  session: Pick<Session, 'permissions'>,
  run: Pick<Run, 'permissions'> | undefined,
): Permissions => session.permissions ?? run?.permissions ?? 'approval';

/** Under `autonomous` there is no approval gate: the action is allowed, in the name of that setting. */
export function decideByPolicy(session: Session, run: Run, _action: ApprovalContent): PolicyDecision | undefined {
  if (permissionsOf(session, run) === 'autonomous') return { behavior: 'allow', answeredBy: 'policy:autonomous' };
  return undefined;
}
