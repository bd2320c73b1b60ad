// Compiles rules into Amp's permission rules, which have the same shape and whose first match decides too. What rules say about
// every call of a tool Amp decides by itself; what depends on the call is delegated, and the server's rules decide it. Commands
// are never allowed as a whole, because one that cannot be parsed is asked. Pure.
import { actionForTool, type ToolRule } from '../../core/tool-rules.ts';

/** Amp's rules, with the members that are used here. */
export interface AmpRule {
  tool: string;
  action: string;
  to?: string | undefined;
}

/** All of them are asked here as `Bash`: they are those of Amp's different models. */
export const SHELLS: readonly string[] = ['Bash', 'shell_command', 'async_shell_command'];
/** Amp's other tools, as it lists them in its built-in rules. */
const TOOLS =
  'edit_file create_file delete_file apply_patch undo_edit Read Grep Glob glob finder Task web_search'.split(' ');
const NAME = /^[\w-]+$/;
const SIMPLE_GLOB = /^[\w*-]+$/;

/**
 * The permission rules of one run. `own`: those of the person, of which none becomes wider: their rejections come first, then
 * what rules reject, then what the person has asked. `delegated`: a rule that asks Holdpoint about a tool.
 */
export function permissionsFor(
  rules: readonly ToolRule[],
  own: readonly AmpRule[],
  delegated: (tool: string) => AmpRule,
): AmpRule[] {
  const named = rules.map(({ tool }) => tool);
  const literals = [...new Set([...SHELLS, ...TOOLS, ...named.filter((tool) => NAME.test(tool))])];
  const said = (wanted: ToolRule['action']) => literals.filter((tool) => decided(rules, tool) === wanted);
  // Tools that are not listed here: Amp may compare other names with a glob than the server does, so it decides none of them.
  const globs = named.filter((tool) => !NAME.test(tool)).map((tool) => (SIMPLE_GLOB.test(tool) ? tool : '*'));
  const ownWith = (isWanted: (action: string) => boolean) => own.filter(({ action }) => isWanted(action));
  return [
    ...ownWith((action) => action === 'reject'),
    ...said('reject').map((tool) => ({ tool, action: 'reject' })),
    ...ownWith((action) => action !== 'reject' && action !== 'allow'),
    ...said('ask').map(delegated),
    ...said('allow').map((tool) => ({ tool, action: 'allow' })),
    ...[...new Set(globs)].map(delegated),
    ...ownWith((action) => action === 'allow'),
  ];
}

function decided(rules: readonly ToolRule[], tool: string): ToolRule['action'] | undefined {
  const isShell = SHELLS.includes(tool);
  const action = actionForTool(rules, isShell ? 'Bash' : tool);
  return isShell && action === 'allow' ? 'ask' : action;
}
