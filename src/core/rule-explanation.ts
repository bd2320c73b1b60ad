// Words the decisions of rules for people and for the log: which rule, from where, and which part of the command.
import type { PartDecision, RuleAction, RuleDecision, SourcedRule } from './rule.ts';
import type { Match } from './rule-set.ts';
import { truncate } from './text-limit.ts';

const LONGEST_QUOTE = 120;
const LONGEST_EXPLANATION = 2000;
const quote = (text: string): string => `\`${truncate(text, LONGEST_QUOTE, '…').replace(/\s+/g, ' ')}\``;

/** `rule 3 of .holdpoint/rules.json (Bash "git *" → allow)` */
function ruleText(sourced: SourcedRule): string {
  const known = texts.get(sourced);
  if (known !== undefined) return known;
  const { rule, source, origin, position } = sourced;
  const { tool, matches, action } = rule;
  const about = matches ? ` ${truncate(JSON.stringify(matches), LONGEST_QUOTE, '…')}` : '';
  const where = source === 'grant' ? `grant ${origin}` : `rule ${position} of ${origin}`;
  const text = `${where} (${tool}${about} → ${action})`;
  texts.set(sourced, text);
  return text;
}
const texts = new WeakMap<SourcedRule, string>();

interface Described {
  text: string;
  pos?: number;
  end?: number;
}

/** `obstacle`: why no pattern covers the part. A line may have hundreds of parts; most explanations are never read. */
export function explainPart(
  { text, pos, end }: Described,
  match: Match | undefined,
  obstacle: string | undefined,
): PartDecision {
  const decision: RuleAction = match && !match.isDoubt ? match.rule.rule.action : 'ask';
  let why: string | undefined;
  return {
    text,
    ...(pos !== undefined && end !== undefined && { pos, end }),
    decision,
    ...(match && { decidedBy: match.rule }),
    get why() {
      why ??= reasonOf(text, match, obstacle);
      return why;
    },
  };
}

const VERBS = { allow: 'allows', reject: 'rejects', ask: 'asks about', delegate: 'delegates' } as const;

function reasonOf(text: string, match: Match | undefined, obstacle: string | undefined): string {
  if (!match) return `no rule covers ${quote(text)}${obstacle === undefined ? '' : `: ${obstacle}`}`;
  const { rule, isDoubt } = match;
  if (isDoubt) return `${ruleText(rule)} may apply to ${quote(text)}: ${obstacle ?? 'it is not literal'}`;
  return `${ruleText(rule)} ${VERBS[rule.rule.action]} ${quote(text)}`;
}

const STRICTEST: readonly RuleAction[] = ['reject', 'ask', 'delegate', 'allow'];

/** The strictest decision of all parts, and the part that is responsible for it. */
export function summarise(parts: readonly PartDecision[]): RuleDecision {
  const decision = STRICTEST.find((action) => parts.some((part) => part.decision === action)) ?? 'ask';
  const deciding = parts.find((part) => part.decision === decision);
  const number = deciding && parts.length > 1 ? ` (part ${parts.indexOf(deciding) + 1} of ${parts.length})` : '';
  const reasons = decision === 'allow' ? firstReasons(parts) : [`${deciding?.why}${number}`];
  return {
    decision,
    ...(deciding?.decidedBy && { decidedBy: deciding.decidedBy }),
    explanation: truncate(reasons.join('; '), LONGEST_EXPLANATION, '…'),
    parts: [...parts],
  };
}

/** Each once, as many as an explanation holds. */
function firstReasons(parts: readonly PartDecision[]): string[] {
  const reasons = new Map<string, string>();
  let length = 0;
  for (const part of parts) {
    if (reasons.has(part.text)) continue;
    reasons.set(part.text, part.why);
    length += part.why.length;
    if (length > LONGEST_EXPLANATION) break;
  }
  return [...reasons.values()];
}
