// Decides approvals without a person, by settings, rules and grants of a person only. Silence, time and failure never decide.
import type { ApprovalContent } from './ask.ts';
import { type Grant, rulesOfGrants } from './grant.ts';
import { hasHiddenText } from './grant-pattern.ts';
import type { RuleDecision } from './rule.ts';
import { compileRules, type RuleSet } from './rule-index.ts';
import { decideByRules } from './rule-set.ts';
import type { Run } from './run.ts';
import type { Permissions, Session } from './session.ts';

export interface PolicyDecision {
  behavior: 'allow' | 'deny';
  answeredBy: string;
  /** Of a denial, what the agent is told; of an allow, why it was given. */
  why?: string;
  /** The grants without which it would have been asked. */
  grantIds?: string[];
}

/** A person decides, or before that the delegate. */
export interface PolicyQuestion {
  behavior: 'ask';
  because: ApprovalContent['asked_because'];
}

export interface Policy {
  /** The rules of each source, in order. */
  sets: readonly RuleSet[];
  grants: readonly Grant[];
}

/** The session's own setting, else that of its run's worker, else approvals are asked for. */
export const permissionsOf = (
  session: Pick<Session, 'permissions'>,
  run: Pick<Run, 'permissions'> | undefined,
): Permissions => session.permissions ?? run?.permissions ?? 'approval';

/**
 * Rules come first. Under `autonomous` there is no approval gate: what no rule rejects, or could reject, is allowed, in the
 * name of that setting.
 */
export function decideByPolicy(
  session: Session,
  run: Run,
  action: ApprovalContent,
  policy: Policy,
): PolicyDecision | PolicyQuestion {
  const decision = ruledBy(session, action, policy);
  const ruled = byRules(decision);
  if (ruled.behavior === 'deny' || mayBeRejected(decision)) return ruled;
  if (permissionsOf(session, run) === 'autonomous') return { behavior: 'allow', answeredBy: 'policy:autonomous' };
  return ruled;
}

/** A rule that rejects may apply to a part, but that cannot be told. */
const mayBeRejected = ({ parts }: RuleDecision): boolean =>
  parts.some(({ decision, decidedBy }) => decision === 'ask' && decidedBy?.rule.action === 'reject');

/** A grant covers nothing that has hidden characters. */
export function ruledBy(session: Session, action: ApprovalContent, { sets, grants }: Policy): RuleDecision {
  const workFolder = action.work_folder ?? session.workFolder;
  const granted = grants.length > 0 && !hasHiddenText(action) ? rulesOfGrants(grants, action, workFolder) : [];
  return decideByRules(
    { sets, ...(granted.length > 0 && { grants: compileRules(granted) }) },
    { tool: action.tool_name, input: action.input, context: action.lineage ? 'subagent' : 'thread', workFolder },
  );
}

export const grantsOf = ({ parts }: RuleDecision): string[] => [
  ...new Set(parts.flatMap(({ decidedBy }) => (decidedBy?.source === 'grant' ? [decidedBy.origin] : []))),
];

function byRules(ruled: RuleDecision): PolicyDecision | PolicyQuestion {
  const { decision, decidedBy, explanation: why, parts } = ruled;
  const answeredBy = `rule:${decidedBy?.source}`;
  if (decision === 'reject') return { behavior: 'deny', answeredBy, why: decidedBy?.rule.message ?? why };
  if (decision !== 'allow') {
    const delegate = decision === 'delegate' ? decidedBy?.rule.to : undefined;
    const isRuled = parts.some((part) => part.decidedBy);
    return {
      behavior: 'ask',
      because: isRuled ? { why, ...(delegate !== undefined && { delegate_to: delegate }) } : undefined,
    };
  }
  const grantIds = grantsOf(ruled);
  if (grantIds.length === 0) return { behavior: 'allow', answeredBy, why };
  return { behavior: 'allow', answeredBy: `grant:${grantIds[0]}`, why, grantIds };
}
