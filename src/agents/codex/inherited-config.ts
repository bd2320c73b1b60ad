// Filters the `config` of a session's earlier run for a run that is made of thread posts: everything is inherited except
// permissions, which were given for one run. Owns which settings of Codex permit something (where commands may write and
// connect, what runs unasked, what is trusted); of those, only values that forbid are inherited. Pure.
type Config = Record<string, unknown>;

/** The sandbox mode and the approval policy are compared with those of the run in effective-settings.ts. */
const PERMITTING: ReadonlySet<string | undefined> = new Set(
  'sandbox_mode sandbox_workspace_write approval_policy approvals_reviewer permissions default_permissions projects bypass_hook_trust'.split(
    ' ',
  ),
);

const FORBIDDING: ReadonlyMap<string, unknown> = new Map([
  ['sandbox_workspace_write.exclude_slash_tmp', true],
  ['sandbox_workspace_write.exclude_tmpdir_env_var', true],
  ['sandbox_workspace_write.network_access', false],
]);

/** When Codex asks about MCP tools: of a whole server, or of one tool. */
const TOOL_APPROVAL: ReadonlySet<string | undefined> = new Set(['default_tools_approval_mode', 'approval_mode']);
const ALWAYS_ASK = 'prompt';

/** Keys may be whole paths, as `mcp_servers.demo.command`. */
export function inheritedConfig(config: Config, above: readonly string[] = []): Config {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    const path = [...above, ...name.split('.')];
    if (isTable(value)) {
      const inner = inheritedConfig(value, path);
      return Object.keys(inner).length > 0 ? [[name, inner]] : [];
    }
    return isInherited(path, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}

function isInherited(path: readonly string[], value: unknown): boolean {
  if (PERMITTING.has(path[0])) return FORBIDDING.has(path.join('.')) && FORBIDDING.get(path.join('.')) === value;
  return !TOOL_APPROVAL.has(path.at(-1)) || value === ALWAYS_ASK;
}

export const isTable = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
