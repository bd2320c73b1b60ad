// Adds Holdpoint's hooks to the settings file of a person's own Claude Code, and removes them: HTTP hooks for the events that
// only report, and a program for permission requests (hook.ts), which outlives a restart of the server. An earlier release
// wrote HTTP hooks alone. Edits the text of the file and writes nothing to disk. A file that does not match the documented schema is refused; all other settings are left unchanged.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Connector, ConnectTarget } from '../agent.ts';
import { hookProgram, hooksConnector, type Owner, SettingsProblem } from '../kit/hooks-file.ts';

const Limits = z.looseObject({
  disableAllHooks: z.boolean().optional(),
  allowedHttpHookUrls: z.array(z.string()).optional(),
  httpHookAllowedEnvVars: z.array(z.string()).optional(),
});

/** How long Claude Code waits for an answer to its hook before it asks at its terminal alone. */
export const HOOK_SECONDS = 12 * 3600;
/** For hooks that only report: a server that does not answer must not delay Claude Code. */
const REPORT_SECONDS = 2;
export const PATH = '/v1/hooks/claude';
/** Identifies a run that Holdpoint hosts, which asks through its worker. */
const RUN_VARIABLE = 'HOLDPOINT_RUN_ID';

const REPORTS =
  'PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionDenied UserPromptSubmit Stop StopFailure SubagentStop SessionEnd';

const program = hookProgram('claude');

const OWNER: Owner = {
  agent: 'Claude Code',
  isOurs: (hook) => program.isOurs(hook) || (hook.type === 'http' && hook.url?.endsWith(PATH) === true),
  targetOf: (hook) => (program.isOurs(hook) ? { url: program.urlOf(hook) } : httpTarget(hook)),
  mark: `take out every hook whose url ends with ${PATH}, and the one whose command has "${program.mark}" in it`,
};

const httpTarget: Owner['targetOf'] = ({ url = '', headers = {} }) => ({
  url: url.slice(0, -PATH.length),
  token: String(headers.Authorization ?? '').replace(/^Bearer /, ''),
});

function groupsFor(target: ConnectTarget, settings: object) {
  const limits = Limits.safeParse(settings);
  if (!limits.success)
    throw new SettingsProblem(`It is not as Claude Code documents it: ${z.prettifyError(limits.error)}`);
  mustBeAllowed(limits.data, target);
  const reports = REPORTS.split(' ').map((event) => [event, { hooks: [reportOf(target)] }]);
  // Without a shell in between, which would outlive a Claude Code that was killed, the launcher sees that it is gone.
  const asks = { type: 'command', command: `exec ${program.command(target)}`, timeout: HOOK_SECONDS };
  return { ...Object.fromEntries(reports), PermissionRequest: { hooks: [asks] } };
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

const reportOf = ({ url, token }: ConnectTarget) => ({
  type: 'http',
  url: `${url}${PATH}`,
  timeout: REPORT_SECONDS,
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
