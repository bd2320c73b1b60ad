// Compiles rules into upper limits of Codex's sandbox and approval policy. Codex can be kept from changing files, and made
// to ask about commands; it cannot be told which command to allow, so those are asked, and the server's rules decide. Pure.
import { actionForTool, type ToolRule } from '../../core/tool-rules.ts';
import type { CodexSpec } from './input.ts';

/** They are the strictest values that Codex has. */
export function withLimits(spec: CodexSpec, rules: readonly ToolRule[]): CodexSpec {
  const [commands, edits] = ['Bash', 'apply_patch'].map((tool) => actionForTool(rules, tool));
  const isRestricted = (action: ToolRule['action'] | undefined) => action === 'ask' || action === 'reject';
  const limits = {
    // The sandbox holds for commands as well, of which rules may allow some.
    ...(edits === 'reject' && commands === 'reject' && { sandbox: 'read-only' as const }),
    ...((isRestricted(commands) || isRestricted(edits)) && { approvalPolicy: 'untrusted' }),
  };
  return Object.keys(limits).length > 0 ? { ...spec, atMost: { ...spec.atMost, ...limits } } : spec;
}
