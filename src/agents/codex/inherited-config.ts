// The `config` with which a session was started, as a message goes on with it: as it was, but for what allows something.
// That was said for one run, and a message names nothing. Owns which settings of Codex allow: where commands may write
// and connect to, what is done unasked, whom to trust; of those only what forbids is kept. Pure.
type Config = Record<string, unknown>;

/** The sandbox mode and the approval policy are weighed where the sandbox and the policy of the run are. */
const ALLOWS: ReadonlySet<string | undefined> = new Set([
  'sandbox_mode',
  'sandbox_workspace_write',
  'approval_policy',
  'approvals_reviewer',
  'permissions',
  'default_permissions',
  'projects',
  'bypass_hook_trust',
]);

const FORBIDS: ReadonlyMap<string, unknown> = new Map([
  ['sandbox_workspace_write.exclude_slash_tmp', true],
  ['sandbox_workspace_write.exclude_tmpdir_env_var', true],
  ['sandbox_workspace_write.network_access', false],
]);

/** When a tool of a server is asked for: of a server itself, or of one tool. */
const ASKED_FOR: ReadonlySet<string | undefined> = new Set(['default_tools_approval_mode', 'approval_mode']);
const ALWAYS = 'prompt';

/** Names may be whole paths, as `mcp_servers.demo.command`. */
export const carriedConfig = (config: Config): Config => kept(config, []);

function kept(config: Config, above: readonly string[]): Config {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    const path = [...above, ...name.split('.')];
    if (isTable(value)) {
      const inner = kept(value, path);
      return Object.keys(inner).length > 0 ? [[name, inner]] : [];
    }
    return isCarried(path, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}

function isCarried(path: readonly string[], value: unknown): boolean {
  if (ALLOWS.has(path[0])) return FORBIDS.has(path.join('.')) && FORBIDS.get(path.join('.')) === value;
  return !ASKED_FOR.has(path.at(-1)) || value === ALWAYS;
}

const isTable = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
