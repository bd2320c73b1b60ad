// Finds calls that people always allowed, and prepares a rule for each that names all its arguments exactly: a pattern would
// also allow calls that no person has seen. Pure, fed one ended approval after another. It suggests and changes nothing: a
// person reads the rule and adds it. A call with a sign of risk, with hidden text, or one that anybody denied or edited is
// in the reach of no suggestion.
import { z } from 'zod';
import type { EndedAsk } from './ask.ts';
import { canonical } from './digest.ts';
import { instant } from './fields.ts';
import { escapeGlob } from './glob.ts';
import { exactMatches, hasHiddenText } from './grant-pattern.ts';
import { deciderOf } from './insight.ts';
import { assessRisk } from './risk.ts';
import { type Matches, Rule, type RuleContext, type RuledCall, sourced } from './rule.ts';
import { COMMAND_ARGUMENTS, compileRules, type RuleSet } from './rule-index.ts';
import { decideByRules } from './rule-set.ts';
import { truncate } from './text-limit.ts';

const count = z.int().nonnegative();

export const RuleSuggestion = z.object({
  rule: Rule,
  /** Decided by people, each allowed as it was. */
  asked: count,
  /** How long these requests waited, together. */
  lost_ms: count,
  last_at_ms: instant,
  /** Who allowed them, and where they ran: five of each at most. A rule of the server holds in every folder. */
  people: z.array(z.string()),
  work_folders: z.array(z.string()),
  /** What the rule would have allowed, the most frequent first, ten at most; `request_id` is the latest. */
  calls: z.array(z.object({ text: z.string(), calls: count, request_id: z.string() })),
  different_calls: count,
});
export type RuleSuggestion = z.infer<typeof RuleSuggestion>;

export const RuleSuggestionsView = z.object({
  from_ms: instant,
  to_ms: instant,
  /** From when on requests were read, if there were too many since `from_ms`. */
  counted_from_ms: instant,
  is_complete: z.boolean(),
  looked_at: count,
  at_least: count,
  suggestions: z.array(RuleSuggestion).describe('To be added to the rules by a person; the most frequent first'),
});
export type RuleSuggestionsView = z.infer<typeof RuleSuggestionsView>;

type PastApproval = Extract<EndedAsk, { kind: 'approval' }>;

/** The same call in the same folder, however often. */
interface PastCall extends RuledCall {
  text: string;
  workFolder: string | undefined;
  askId: string;
  lastAt: number;
  allowed: number;
  lostMs: number;
  people: Set<string>;
  /** Denied, edited, risky or hidden: no rule may cover it. */
  isBarred: boolean;
  /** Exactly this call; undefined where an argument cannot be named, or there is none. */
  matches: Matches | undefined;
}

const LONGEST_TEXT = 300;
const MOST_CANDIDATES = 40;
/** Each candidate is compared with each of them. */
const MOST_CALLS = 500;
const SHOWN_CALLS = 10;
const SHOWN_NAMES = 5;

export function createRuleSuggestions(atLeast: number) {
  const calls = new Map<string, PastCall>();
  let lookedAt = 0;

  return {
    add(ask: PastApproval, workFolder: string | undefined): void {
      lookedAt += 1;
      const { content, answer } = ask;
      if (deciderOf({ outcome: ask.status, by: answer.answered_by }) !== 'people') return;
      const folder = content.work_folder ?? workFolder;
      const context: RuleContext = content.lineage ? 'subagent' : 'thread';
      const key = canonical([content.tool_name, content.input, folder ?? null, context]);
      const call = calls.get(key) ?? callOf(ask, [folder, workFolder ?? folder], context);
      calls.set(key, call);
      const isPlain = answer.behavior === 'allow' && answer.updated_input === undefined;
      if (!isPlain) call.isBarred = true;
      else {
        call.allowed += 1;
        call.lostMs += Math.max(0, answer.answered_at_ms - ask.createdAt);
        call.people.add(answer.answered_by);
      }
    },
    lookedAt: () => lookedAt,
    /** No more can be compared. */
    isFull: () => calls.size >= MOST_CALLS,
    /**
     * One step for each candidate, so that the caller can pause between them. `sets`: the rules that hold already; what
     * they decide, or say is to be asked, is not suggested.
     */
    suggestions: (sets: readonly RuleSet[]) => suggest([...calls.values()], sets, atLeast),
  };
}

/** The agent may name another folder than its session's: risk is judged by both. */
function callOf(
  { id, content, createdAt }: PastApproval,
  folders: readonly [string | undefined, string | undefined],
  context: RuleContext,
): PastCall {
  const { tool_name, input, diff } = content;
  const isRisky = folders.some(
    (work_folder) => assessRisk({ action: { tool_name, input, diff }, work_folder, is_line_only: true }).length > 0,
  );
  const command = COMMAND_ARGUMENTS.map((name) => input[name]).find((value) => typeof value === 'string');
  return {
    tool: tool_name,
    input,
    context,
    workFolder: folders[0],
    text: truncate(command ?? JSON.stringify(input), LONGEST_TEXT),
    askId: id,
    lastAt: createdAt,
    allowed: 0,
    lostMs: 0,
    people: new Set(),
    isBarred: isRisky || hasHiddenText({ input: { ...input, '': tool_name } }),
    matches: exactMatches(content),
  };
}

interface Candidate {
  rule: Rule;
  calls: PastCall[];
}

/** The same call in several folders is one rule: a rule of the server holds in all of them. */
function* suggest(all: readonly PastCall[], sets: readonly RuleSet[], atLeast: number): Generator<RuleSuggestion[]> {
  const open = all.filter((call) => call.isBarred || isUnruled(sets, call));
  for (const { rule, calls } of candidatesFor(open, atLeast)) {
    const reached = reachedBy(rule, open, sets);
    const isSafe = !reached.some(({ isBarred }) => isBarred) && calls.every((call) => reached.includes(call));
    yield isSafe ? [suggestionOf(rule, reached)] : [];
  }
}

const total = (calls: readonly PastCall[]): number => calls.reduce((sum, { allowed }) => sum + allowed, 0);

function candidatesFor(calls: readonly PastCall[], atLeast: number): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const call of calls) {
    const { tool, matches, context, isBarred } = call;
    if (isBarred || !matches) continue;
    const rule: Rule = { tool: escapeGlob(tool), matches, action: 'allow', context };
    const key = canonical(rule);
    const known = found.get(key);
    if (known) known.calls.push(call);
    else found.set(key, { rule, calls: [call] });
  }
  return [...found.values()]
    .filter((candidate) => total(candidate.calls) >= atLeast)
    .sort((a, b) => total(b.calls) - total(a.calls))
    .slice(0, MOST_CANDIDATES);
}

const isUnruled = (sets: readonly RuleSet[], call: PastCall): boolean => {
  const { decision, parts } = decideByRules({ sets }, call);
  return decision === 'ask' && parts.every(({ decidedBy }) => decidedBy === undefined);
};

/** Which of the calls the rule would have allowed, by the function that decides. */
function reachedBy(rule: Rule, calls: readonly PastCall[], sets: readonly RuleSet[]): PastCall[] {
  const sources = { sets: [...sets, compileRules(sourced('organisation', 'suggestion', [rule]))] };
  const isReached = (call: PastCall) => decideByRules(sources, call).decision === 'allow';
  return calls.filter((call) => rule.tool === escapeGlob(call.tool) && isReached(call));
}

function suggestionOf(rule: Rule, calls: readonly PastCall[]): RuleSuggestion {
  const byCount = [...calls].sort((a, b) => b.allowed - a.allowed);
  const some = (names: readonly (string | undefined)[]) =>
    [...new Set(names.filter((name) => name !== undefined))].slice(0, SHOWN_NAMES);
  return {
    rule,
    asked: total(calls),
    lost_ms: calls.reduce((sum, { lostMs }) => sum + lostMs, 0),
    last_at_ms: Math.max(...calls.map(({ lastAt }) => lastAt)),
    people: some(calls.flatMap(({ people }) => [...people])),
    work_folders: some(calls.map(({ workFolder }) => workFolder)),
    calls: byCount
      .slice(0, SHOWN_CALLS)
      .map(({ text, allowed, askId }) => ({ text, calls: allowed, request_id: askId })),
    different_calls: calls.length,
  };
}
