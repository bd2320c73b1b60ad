// Decides approvals without a person, by settings and rules of a person only. Silence, time and failure never decide.
import type { ApprovalContent } from './ask.ts';
import { decideByRules, type RuleSet } from './rule-set.ts';
import type { Run } from './run.ts';
import type { Permissions, Session } from './session.ts';

export interface PolicyDecision {
  behavior: 'allow' | 'deny';
  answeredBy: string;
  /** Of a denial, what the agent is told; of an allow, why it was given. */
  why?: string;
}

/** The session's own setting, else that of its run's worker, else approvals are asked for. */
export const permissionsOf = (
  session: Pick<Session, 'permissions'>,
  run: Pick<Run, 'permissions'> | undefined,
): Permissions => session.permissions ?? run?.permissions ?? 'approval';

/**
 * Rules come first. Under `autonomous` there is no approval gate: what no rule rejects is allowed, in the name of that
 * setting.
 */
export function decideByPolicy(
  session: Session,
  run: Run,
  action: ApprovalContent,
  rules: RuleSet | undefined,
): PolicyDecision | undefined {
  const ruled = rules && byRules(rules, session, action);
  if (ruled?.behavior === 'deny') return ruled;
  if (permissionsOf(session, run) === 'autonomous') return { behavior: 'allow', answeredBy: 'policy:autonomous' };
  return ruled;
}

/** Undefined: a person decides. A delegate is not consulted here. */
function byRules(rules: RuleSet, session: Session, action: ApprovalContent): PolicyDecision | undefined {
  const { decision, decidedBy, explanation } = decideByRules(
    { sets: [rules] },
    {
      tool: action.tool_name,
      input: action.input,
      context: action.lineage ? 'subagent' : 'thread',
      workFolder: action.work_folder ?? session.workFolder,
    },
  );
  const answeredBy = `rule:${decidedBy?.source}`;
  if (decision === 'allow') return { behavior: 'allow', answeredBy, why: explanation };
  if (decision === 'reject') return { behavior: 'deny', answeredBy, why: decidedBy?.rule.message ?? explanation };
  return undefined;
}
