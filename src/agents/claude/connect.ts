// Adds Holdpoint's HTTP hooks to the settings file of a person's own Claude Code, and removes them. Pure: text in, text
// out. A file that does not match the documented schema is refused; all other settings are left unchanged.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Connector, ConnectTarget } from '../agent.ts';
import {
  type HooksFile,
  type Owner,
  oursIn,
  readHooks,
  SettingsProblem,
  shownBriefly,
  withOurs,
  withoutOurs,
} from '../kit/hooks-file.ts';

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

const EVENTS: Readonly<Record<string, number>> = {
  PermissionRequest: HOOK_SECONDS,
  PreToolUse: REPORT_SECONDS,
  PostToolUse: REPORT_SECONDS,
  PostToolUseFailure: REPORT_SECONDS,
  PostToolBatch: REPORT_SECONDS,
  PermissionDenied: REPORT_SECONDS,
  UserPromptSubmit: REPORT_SECONDS,
  Stop: REPORT_SECONDS,
  StopFailure: REPORT_SECONDS,
  SubagentStop: REPORT_SECONDS,
  SessionEnd: REPORT_SECONDS,
};

const OWNER: Owner = {
  agent: 'Claude Code',
  isOurs: ({ type, url }) => type === 'http' && url?.endsWith(PATH) === true,
  mark: `take out every hook whose url ends with ${PATH}`,
};

/** `text` is undefined where there is no file yet. */
function connected(text: string | undefined, target: Pick<ConnectTarget, 'url' | 'token'>): string {
  const settings = read(text);
  const limits = Limits.safeParse(settings);
  if (!limits.success)
    throw new SettingsProblem(`It is not as Claude Code documents it: ${z.prettifyError(limits.error)}`);
  const [ours] = oursIn(settings, OWNER);
  if (ours) throw new SettingsProblem(`It has the hooks of Holdpoint already (${ours.url}): disconnect first.`);
  mustBeAllowed(limits.data, target);
  const groups = Object.entries(EVENTS).map(([event, timeout]) => [event, { hooks: [hookOf(target, timeout)] }]);
  return withOurs(text, OWNER, Object.fromEntries(groups));
}

function mustBeAllowed(limits: z.infer<typeof Limits>, { url }: Pick<ConnectTarget, 'url' | 'token'>): void {
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

/** The file without our hooks, for when it was edited since and cannot be restored from its copy. */
const disconnected = (text: string, before?: string): string => withoutOurs(text, OWNER, before);

/** For display: shortened, without the token. */
const shown = (text: string): string => shownBriefly(text, OWNER).replaceAll(/Bearer hp_[\w-]+/g, 'Bearer (its token)');

const isConnected = (text: string): boolean => oursIn(read(text), OWNER).length > 0;

/** Each once: a person may have changed some of them. */
function targets(text: string): Pick<ConnectTarget, 'url' | 'token'>[] {
  const all = oursIn(read(text), OWNER).map(({ url = '', headers = {} }) => ({
    url: url.slice(0, -PATH.length),
    token: String(headers.Authorization ?? '').replace(/^Bearer /, ''),
  }));
  return all.filter(({ url, token }, i) => all.findIndex((one) => one.url === url && one.token === token) === i);
}

const read = (text: string | undefined): HooksFile => readHooks(text, OWNER);

/** After a failed hook call Claude Code asks at its terminal, as without the hook. */
const hookOf = ({ url, token }: Pick<ConnectTarget, 'url' | 'token'>, timeout: number) => ({
  type: 'http',
  url: `${url}${PATH}`,
  timeout,
  onFailure: 'continue',
  headers: { Authorization: `Bearer ${token}`, 'Holdpoint-Run': `$${RUN_VARIABLE}` },
  allowedEnvVars: [RUN_VARIABLE],
});

export const connector: Connector = {
  folderVariable: 'CLAUDE_CONFIG_DIR',
  file: (env) => join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json'),
  needsToken: true,
  connected,
  disconnected,
  isConnected,
  shown,
  targets,
  byHand: OWNER.mark,
  note: 'Every Claude Code you start from now on asks here as well as at its terminal; the first answer counts.',
};
