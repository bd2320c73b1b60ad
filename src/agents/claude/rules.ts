// Compiles rules into Claude Code's permission lists. A list names whole tools: a rule about some calls of a tool has all of
// its calls asked. Bash is never allowed as a whole, because a command that cannot be parsed is asked. Pure.
import { actionForTool, type ToolRule } from '../../core/tool-rules.ts';

/** Those that Claude Code may use without asking. Other tools, such as those of MCP servers, it asks about. */
const TOOLS =
  'Bash Edit MultiEdit Write NotebookEdit Read Glob Grep LS WebFetch WebSearch Task Agent Skill KillShell'.split(' ');
const NEVER_ALLOWED = new Set(['Bash']);
/** One tool by its name. Tools of MCP servers are asked about unless they are named. */
const MCP_TOOL = /^mcp__[\w-]+__[\w-]+$/;

export interface Permissions {
  allow: string[];
  deny: string[];
  ask: string[];
}

/** Undefined: rules say nothing about whole tools. */
export function permissionsFor(rules: readonly ToolRule[]): Permissions | undefined {
  const lists: Permissions = { allow: [], deny: [], ask: [] };
  const named = rules.map(({ tool }) => tool).filter((tool) => MCP_TOOL.test(tool));
  for (const tool of new Set([...TOOLS, ...named])) {
    const action = actionForTool(rules, tool);
    if (action === 'reject') lists.deny.push(tool);
    else if (action === 'allow' && !NEVER_ALLOWED.has(tool)) lists.allow.push(tool);
    else if (action !== undefined) lists.ask.push(tool);
  }
  return Object.values(lists).some((list) => list.length > 0) ? lists : undefined;
}

/** For its command line. */
export function ruleArguments(rules: readonly ToolRule[]): string[] {
  const permissions = permissionsFor(rules);
  return permissions ? ['--settings', JSON.stringify({ permissions })] : [];
}
