// Defines what the API says about rules: a rule with its source, and which rules decide a call and why.
import { z } from 'zod';
import { looseObject } from './fields.ts';
import { ProjectRules, RULE_ACTIONS, RULE_CONTEXTS, RULE_SOURCES, Rule } from './rule.ts';

export const SourcedRuleView = z.object({
  source: z.enum(RULE_SOURCES),
  origin: z.string().describe('The file, the session or the grant'),
  position: z.int().positive().describe('Its position there, from 1'),
  rule: Rule,
});
export type SourcedRuleView = z.infer<typeof SourcedRuleView>;

export const RuleListView = z.object({
  rules: z.array(SourcedRuleView).describe('In the order in which they are tried'),
  total: z.int().nonnegative(),
  fault: z.string().optional().describe("What is wrong with the server's rules file; the rules read before it apply"),
});
export type RuleListView = z.infer<typeof RuleListView>;

export const RuleTest = z.strictObject({
  tool_name: z.string().min(1).max(256),
  input: looseObject,
  context: z.enum(RULE_CONTEXTS).optional(),
  session_id: z.string().min(1).max(128).optional().describe('With the rules and grants of this session'),
  work_folder: z.string().min(1).max(4096).optional(),
  project_rules: ProjectRules.optional(),
});
export type RuleTest = z.infer<typeof RuleTest>;

export const RuleTestView = z.object({
  decision: z.enum(RULE_ACTIONS),
  explanation: z.string(),
  decided_by: SourcedRuleView.optional().describe('None: no rule matched'),
  parts: z.array(
    z.object({
      text: z.string().describe('The command, or the tool where the call is no shell command'),
      pos: z.int().nonnegative().optional(),
      end: z.int().nonnegative().optional(),
      decision: z.enum(RULE_ACTIONS),
      decided_by: SourcedRuleView.optional(),
      why: z.string(),
    }),
  ),
});
export type RuleTestView = z.infer<typeof RuleTestView>;
