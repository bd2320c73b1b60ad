// Reduces rules to what they say about whole tools, for agents that decide by themselves what they ask about. Only what is
// true of every call of a tool is decided by the agent; what depends on the call is asked, and the server's rules decide it.
import { z } from 'zod';
import { compileGlob, matchesGlob } from './glob.ts';
import type { SourcedRule } from './rule.ts';

export const ToolRule = z.object({
  tool: z.string().describe('Glob of tool names'),
  action: z.enum(['allow', 'reject', 'ask']),
  is_conditional: z.boolean().describe('It is about some calls of the tool only'),
});
export type ToolRule = z.infer<typeof ToolRule>;

/** More are not sent; then everything is asked. */
const MOST = 500;
const ASK_ALL: ToolRule = { tool: '*', action: 'ask', is_conditional: false };

/** In order. Built-in rules are about what is asked anyway; those of a project allow nothing. */
export function toolRules(rules: readonly SourcedRule[]): ToolRule[] {
  const reduced: ToolRule[] = [];
  const seen = new Set<string>();
  for (const { rule, source } of rules) {
    if (source === 'builtin' || (source === 'project' && rule.action === 'allow')) continue;
    const next: ToolRule = {
      tool: rule.tool,
      action: rule.action === 'delegate' ? 'ask' : rule.action,
      is_conditional: rule.context !== undefined || Object.keys(rule.matches ?? {}).length > 0,
    };
    const key = JSON.stringify(next);
    if (seen.has(key)) continue;
    seen.add(key);
    reduced.push(next);
  }
  return reduced.length > MOST ? [ASK_ALL] : reduced;
}

/** What holds for every call of a tool; `ask`: it depends on the call. Undefined: no rule is about the tool, or only allows. */
export function actionForTool(rules: readonly ToolRule[], tool: string): ToolRule['action'] | undefined {
  let isSomeAllowed = false;
  for (const rule of rules) {
    if (!matchesGlob(compileGlob(rule.tool), tool)) continue;
    if (!rule.is_conditional) return rule.action === 'reject' && isSomeAllowed ? 'ask' : rule.action;
    if (rule.action !== 'allow') return 'ask';
    isSomeAllowed = true;
  }
  return undefined;
}
