// Adds Holdpoint's HTTP hooks to the settings file of a person's own Claude Code, and removes them. Edits the text of
// the file and writes nothing to disk. A file that does not match the documented schema is refused; all other settings are left unchanged.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Connector, ConnectTarget } from '../agent.ts';
import { hooksConnector, type Owner, SettingsProblem } from '../kit/hooks-file.ts';

const Limits = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  allowedHttpHookUrls: z.array(z.string()).optional(),
  httpHookAllowedEnvVars: z.array(z.string()).optional(),
});

/** How long Claude Code waits for an answer to its hook before it asks at its terminal alone. */
export const HOOK_SECONDS = 12 * 3600;
/** For hooks that only report: a server that does not answer must not delay Claude Code. */
const REPORT_SECONDS = 2;
const PATH = '/v1/hooks/claude';
/** Identifies a run that Holdpoint hosts, which asks through its worker. */
const RUN_VARIABLE = 'HOLDPOINT_RUN_ID';

const REPORTS =
  'PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionDenied UserPromptSubmit Stop StopFailure SubagentStop SessionEnd';

const OWNER: Owner = {
  agent: 'Claude Code',
  isOurs: ({ type, url }) => type === 'http' && url?.endsWith(PATH) === true,
  targetOf: ({ url = '', headers = {} }) => ({
    url: url.slice(0, -PATH.length),
    token: String(headers.Authorization ?? '').replace(/^Bearer /, ''),
  }),
  mark: `take out every hook whose url ends with ${PATH}`,
};

function groupsFor(target: ConnectTarget, settings: object) {
  const limits = Limits.safeParse(settings);
  if (!limits.success)
    throw new SettingsProblem(`It is not as Claude Code documents it: ${z.prettifyError(limits.error)}`);
  mustBeAllowed(limits.data, target);
  const reports = REPORTS.split(' ').map((event) => [event, { hooks: [hookOf(target, REPORT_SECONDS)] }]);
  return { PermissionRequest: { hooks: [hookOf(target, HOOK_SECONDS)] }, ...Object.fromEntries(reports) };
}

function mustBeAllowed(limits: z.infer<typeof Limits>, { url }: ConnectTarget): void {
  if (limits.disableAllHooks) throw new SettingsProblem('It says disableAllHooks: hooks would not be called.');
  const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: names } = limits;
  if (urls && !urls.some((pattern) => covers(pattern, `${url}${PATH}`)))
    throw new SettingsProblem(`Its list allowedHttpHookUrls does not allow ours: add "${url}/*" to it first.`);
  if (names && !names.includes(RUN_VARIABLE))
    throw new SettingsProblem(
      `Its list httpHookAllowedEnvVars does not allow ours: add "${RUN_VARIABLE}" to it first.`,
    );
}

/** As Claude Code reads it: `*` is anything, everything else is itself. */
const covers = (pattern: string, url: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`).test(url);

/** After a failed hook call Claude Code asks at its terminal, as without the hook. */
const hookOf = ({ url, token }: ConnectTarget, timeout: number) => ({
  type: 'http',
  url: `${url}${PATH}`,
  timeout,
  onFailure: 'continue',
  headers: { Authorization: `Bearer ${token}`, 'Holdpoint-Run': `$${RUN_VARIABLE}` },
  allowedEnvVars: [RUN_VARIABLE],
});

export const connector: Connector = {
  ...hooksConnector(OWNER, groupsFor),
  folderVariable: 'CLAUDE_CONFIG_DIR',
  file: (env) => join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json'),
  needsToken: true,
  note: 'Every Claude Code you start from now on asks here as well as at its terminal; the first answer counts.',
};
