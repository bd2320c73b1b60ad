// Collects the rules of every source for one approval, lists them, and says what they would decide about a call.
import { BUILT_IN_RULES } from '../core/built-in-rules.ts';
import { projectTarget, sessionTarget } from '../core/grant.ts';
import { ruledBy } from '../core/policy.ts';
import type { Page, Ports, Reader } from '../core/ports.ts';
import { type ProjectRules, type SourcedRule, sourced, sourcedProject } from '../core/rule.ts';
import { compileRules, type RuleSet } from '../core/rule-index.ts';
import type { RuleListView, RuleTest, RuleTestView, SourcedRuleView } from '../core/rule-views.ts';
import type { Session } from '../core/session.ts';
import { type ToolRule, toolRules } from '../core/tool-rules.ts';
import { sessionRecord } from './records.ts';
import { newSession } from './session.ts';

/** In the order of sources. Project rules are sent with each approval, and are only a restriction. */
export function ruleSets({ rules }: Ports, session: Session, project?: ProjectRules): RuleSet[] {
  const sets = [
    BUILT_IN_RULES,
    project && compileRules(sourcedProject(project)),
    rules?.rules(),
    session.rules && compileRules(sourced('session', `session ${session.id}`, session.rules)),
  ];
  return sets.filter((set) => set !== undefined);
}

/** What these rules say about whole tools; the organisation's are reduced once. */
const reduced = new WeakMap<RuleSet, ToolRule[]>();

export function toolRulesFor(ports: Ports, session: Session): ToolRule[] {
  return ruleSets(ports, session).flatMap((set) => {
    const known = reduced.get(set) ?? toolRules(set.rules.map((rule) => rule.sourced));
    reduced.set(set, known);
    return known;
  });
}

/** What `grantsFor` looks for. */
export const grantTargets = (session: Session) => ({
  session: sessionTarget(session),
  project: projectTarget(session),
  madeBy: session.madeBy,
});

export function listRules(
  ports: Ports,
  sessionId: string | undefined,
  page: Page,
): Promise<RuleListView & { next?: number }> {
  return ports.store.read(async (r) => {
    const session = await sessionOrNone(r, sessionId);
    const all = ruleSets(ports, session).flatMap(({ rules }) => rules.map((rule) => ruleView(rule.sourced)));
    const from = page.after ?? 0;
    const fault = ports.rules?.fault();
    const end = from + page.limit;
    return {
      rules: all.slice(from, end),
      total: all.length,
      ...(fault !== undefined && { fault }),
      ...(end < all.length && { next: end }),
    };
  });
}

/** Decides nothing and stores nothing. */
export function testRules(ports: Ports, test: RuleTest): Promise<RuleTestView> {
  return ports.store.read(async (r) => {
    const session = await sessionOrNone(r, test.session_id);
    const grants = test.session_id === undefined ? [] : await r.grantsFor(grantTargets(session), ports.clock.now());
    const { tool_name, input, work_folder } = test;
    const lineage = test.context === 'subagent' ? { lineage: ['sub-agent'] } : {};
    const action = {
      tool_name,
      input,
      reason: '',
      scope: '',
      ...lineage,
      ...(work_folder !== undefined && { work_folder }),
    };
    const policy = { sets: ruleSets(ports, session, test.project_rules), grants };
    const { decision, explanation, decidedBy, parts } = ruledBy(session, action, policy);
    return {
      decision,
      explanation,
      ...(decidedBy && { decided_by: ruleView(decidedBy) }),
      parts: parts.map(({ decidedBy: by, ...part }) => ({ ...part, ...(by && { decided_by: ruleView(by) }) })),
    };
  });
}

const sessionOrNone = async (r: Reader, id: string | undefined): Promise<Session> =>
  id === undefined ? newSession('none', { agent: 'none' }, 0) : sessionRecord(r, id);

const ruleView = ({ rule, source, origin, position }: SourcedRule): SourcedRuleView => ({
  source,
  origin,
  position,
  rule,
});
