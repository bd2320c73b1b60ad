// Words the decisions of rules for people and for the log: which rule, from where, and which part of the command.
import type { PartDecision, RuleAction, RuleDecision, SourcedRule } from './rule.ts';
import type { Match } from './rule-set.ts';
import { truncate } from './text-limit.ts';

const LONGEST_QUOTE = 120;
const quote = (text: string): string => `\`${truncate(text, LONGEST_QUOTE, '…').replace(/\s+/g, ' ')}\``;

/** `rule 3 of .holdpoint/rules.json (Bash "git *" → allow)` */
export function ruleText({ rule, source, origin, position }: SourcedRule): string {
  const { tool, matches, action } = rule;
  const about = matches ? ` ${truncate(JSON.stringify(matches), LONGEST_QUOTE, '…')}` : '';
  const where = source === 'grant' ? `grant ${origin}` : `rule ${position} of ${origin}`;
  return `${where} (${tool}${about} → ${action})`;
}

interface Described {
  text: string;
  pos?: number;
  end?: number;
}

/** `obstacle`: why no pattern covers the part. */
export function explainPart(
  { text, pos, end }: Described,
  match: Match | undefined,
  obstacle: string | undefined,
): PartDecision {
  const place = pos === undefined || end === undefined ? {} : { pos, end };
  if (!match) {
    const because = obstacle === undefined ? '' : `: ${obstacle}`;
    return { text, ...place, decision: 'ask', why: `no rule covers ${quote(text)}${because}` };
  }
  const { rule, isDoubt } = match;
  const decision: RuleAction = isDoubt ? 'ask' : rule.rule.action;
  const verb = { allow: 'allows', reject: 'rejects', ask: 'asks about', delegate: 'delegates' }[decision];
  const why = isDoubt
    ? `${ruleText(rule)} may apply to ${quote(text)}: ${obstacle ?? 'it is not literal'}`
    : `${ruleText(rule)} ${verb} ${quote(text)}`;
  return { text, ...place, decision, decidedBy: rule, why };
}

const STRICTEST: readonly RuleAction[] = ['reject', 'ask', 'delegate', 'allow'];

/** The strictest decision of all parts, and the part that is responsible for it. */
export function summarise(parts: readonly PartDecision[]): RuleDecision {
  const decision = STRICTEST.find((action) => parts.some((part) => part.decision === action)) ?? 'ask';
  const deciding = parts.find((part) => part.decision === decision);
  const number = deciding && parts.length > 1 ? ` (part ${parts.indexOf(deciding) + 1} of ${parts.length})` : '';
  const reasons = decision === 'allow' ? [...new Set(parts.map(({ why }) => why))] : [`${deciding?.why}${number}`];
  return {
    decision,
    ...(deciding?.decidedBy && { decidedBy: deciding.decidedBy }),
    explanation: truncate(reasons.join('; '), 2000, '…'),
    parts: [...parts],
  };
}
