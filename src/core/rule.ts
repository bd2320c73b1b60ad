// Defines a rule: which tool calls it is about and what happens to them, in Amp's shape. Rules are data of people; reading
// them refuses what would not mean what it seems to. rule-set.ts decides with them.
import { z } from 'zod';
import { LONGEST_PATTERN } from './glob.ts';

export const RULE_ACTIONS = ['allow', 'reject', 'ask', 'delegate'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

/** Who asks: the agent itself, or one that it started. */
export const RULE_CONTEXTS = ['thread', 'subagent'] as const;
export type RuleContext = (typeof RULE_CONTEXTS)[number];

/** In the order in which they are evaluated. A grant only answers what would otherwise be asked. */
export const RULE_SOURCES = ['builtin', 'project', 'organisation', 'session', 'grant'] as const;
export type RuleSource = (typeof RULE_SOURCES)[number];

const pattern = z
  .string()
  .min(1)
  .max(LONGEST_PATTERN)
  .refine(
    (text) => !(text.length > 1 && text.startsWith('/') && text.endsWith('/')),
    'regular expressions are not supported: use `*` for any characters',
  )
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** Argument → glob, list of globs, or boolean. */
export const Matches = z.record(
  z.string().min(1).max(128),
  z.union([pattern, z.array(pattern).min(1).max(1000), z.boolean()]),
);
export type Matches = z.infer<typeof Matches>;

export const Rule = z
  .strictObject({
    tool: pattern.describe('Glob of tool names: `Bash`, `mcp__*`'),
    matches: Matches.optional().describe(
      'Argument → glob, list of globs, or boolean. All must match. `command` and `cmd` are shell commands',
    ),
    action: z.enum(RULE_ACTIONS),
    to: z.string().min(1).max(4096).optional().describe('The program or URL that decides; only with `delegate`'),
    message: z.string().max(2000).optional().describe('What the agent is told; only with `reject`'),
    context: z.enum(RULE_CONTEXTS).optional(),
  })
  .refine(
    ({ action, to }) => (action === 'delegate') === (to !== undefined),
    'needs `to` with `delegate`, and only there',
  )
  .refine(
    ({ to = '' }) => !/^https?:\/\/[^/?#]*@/.test(to),
    'has a password in `to`: every reader of rules and every agent that is asked about sees the address',
  )
  .refine(({ action, message }) => action === 'reject' || message === undefined, 'has `message` without `reject`');
export type Rule = z.infer<typeof Rule>;

export const MOST_RULES = 10_000;
export const Rules = z.array(Rule).max(MOST_RULES);

const FEW_RULES = 500;
const isSmall = (rules: readonly Rule[]): boolean => JSON.stringify(rules).length <= 64 * 1024;
/** They are stored with every session that has some. */
export const SessionRules = z
  .array(Rule)
  .max(FEW_RULES)
  .refine(
    (rules) => rules.every(({ action }) => action !== 'delegate'),
    'has a delegate: what runs on the server is named in its own rules.json only',
  )
  .refine(isSmall, 'has more than 64 KiB');

/** As the agent's side found them in the work folder; or why they cannot be used. */
export const ProjectRules = z.union([
  z.array(Rule).max(FEW_RULES).refine(isSmall, 'has more than 64 KiB'),
  z.strictObject({ fault: z.string().min(1).max(300) }),
]);
export type ProjectRules = z.infer<typeof ProjectRules>;

/** A file that cannot be used could have restricted anything. */
export function sourcedProject(rules: ProjectRules): SourcedRule[] {
  if (Array.isArray(rules)) return sourced('project', '.holdpoint/rules.json', rules);
  const origin = `.holdpoint/rules.json, which cannot be used: ${rules.fault}`;
  return sourced('project', origin, [{ tool: '*', action: 'ask' }]);
}

/** A rule with the place that it came from. */
export interface SourcedRule {
  rule: Rule;
  source: RuleSource;
  /** What people call that place: a file, a session, the id of a grant. */
  origin: string;
  /** Its position there, from 1. */
  position: number;
}

export const sourced = (source: RuleSource, origin: string, rules: readonly Rule[]): SourcedRule[] =>
  rules.map((rule, i) => ({ rule, source, origin, position: i + 1 }));

/** The tool call that a decision is about. */
export interface RuledCall {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  context: RuleContext;
  workFolder?: string | undefined;
}

export interface RuleDecision {
  decision: RuleAction;
  /** The rule that decided; none: no rule matched. */
  decidedBy?: SourcedRule;
  explanation: string;
  parts: PartDecision[];
}

export interface PartDecision {
  /** The command, or the name of the tool where the call is no shell command. */
  text: string;
  pos?: number;
  end?: number;
  decision: RuleAction;
  decidedBy?: SourcedRule;
  why: string;
}
