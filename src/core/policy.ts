// What is decided without a person. Silence, time and failure never decide; only a setting a person made can.
import type { ApprovalContent } from './ask.ts';
import type { Session } from './session.ts';

export interface PolicyDecision {
  behavior: 'allow' | 'deny';
  answeredBy: string;
}

/** Under `autonomous` there is no approval gate: the action is allowed, in the name of that setting. */
export function decideByPolicy(session: Session, _action: ApprovalContent): PolicyDecision | undefined {
  if (session.permissions === 'autonomous') return { behavior: 'allow', answeredBy: 'policy:autonomous' };
  return undefined;
}
