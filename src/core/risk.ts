// Assesses what a person should notice before deciding: what deletes or overwrites, touches production, publishes, names
// credentials, leaves the work folder, hides characters, is asked again, uses the network, cannot be read in full, or
// expires. One pure function for every surface. Signs are found by reading, so their absence promises nothing: no decision
// may rest on it.
import { z } from 'zod';
import type { NamedFile } from './ask.ts';
import { textsIn } from './ask-query.ts';
import { askedAgainWhy, isAskedAgain } from './asked-again.ts';
import { instant } from './fields.ts';
import { exactSegments } from './hidden-characters.ts';
import { assessCommand, type Note, namesProduction } from './risk/command.ts';
import { credentialsIn, isInside, isWithin, outsidePath, resolved } from './risk/paths.ts';
import { DELETING_SQL } from './risk/programs.ts';
import { COMMAND_ARGUMENTS } from './rule-index.ts';
import { commandLine, startFolder } from './script-files.ts';
import { truncate } from './text-limit.ts';
import { replacedWhy } from './written-file.ts';

/** The gravest first. */
export const RISKS = [
  'destructive',
  'unknown_code',
  'production',
  'publishes',
  'credentials',
  'outside_folder',
  'hidden',
  'asked_again',
  'deletes',
  'replaces',
  'network',
  'unclear',
  'deadline',
] as const;
export type Risk = (typeof RISKS)[number];

export const RiskSign = z.object({
  risk: z.enum(RISKS),
  why: z
    .string()
    .describe(
      'What was found, to follow the name of the risk and a colon: "rm deletes files". May contain text of the agent',
    ),
  at_ms: instant.optional().describe('Of a deadline: when the request expires'),
});
export type RiskSign = z.infer<typeof RiskSign>;

export interface Assessed {
  /** Absent for questions. */
  action?:
    | {
        tool_name: string;
        input: Record<string, unknown>;
        diff?: string | undefined;
        work_folder?: string | undefined;
        files?: readonly NamedFile[] | undefined;
        reason?: string | undefined;
      }
    | undefined;
  /** Where it runs. Nothing can be said to be outside without it. */
  work_folder?: string | undefined;
  /** The folder of its session, which may be another. */
  session_folder?: string | undefined;
  expires_at_ms?: number | undefined;
  /** Without the scripts that a command runs: what a rule for the command alone would allow. */
  is_line_only?: boolean;
}

/** At most one sign of each kind, the gravest first. */
export function assessRisk(assessed: Assessed): RiskSign[] {
  const { action, work_folder, session_folder, expires_at_ms, is_line_only = false } = assessed;
  const found = new Map<Risk, string>();
  const note: Note = (risk, why) => {
    if (why !== undefined && !found.has(risk)) found.set(risk, truncate(why, LONGEST_WHY));
  };
  if (action) {
    note('outside_folder', elsewhereWhy(work_folder, session_folder));
    assessAction(action, work_folder, is_line_only, note);
  }
  // The graver one says it.
  if (found.has('destructive')) found.delete('deletes');
  const signs: RiskSign[] = RISKS.flatMap((risk) => {
    const why = found.get(risk);
    return why === undefined ? [] : [{ risk, why }];
  });
  if (expires_at_ms === undefined) return signs;
  return [...signs, { risk: 'deadline', why: 'expires without an answer', at_ms: expires_at_ms }];
}

const LONGEST_WHY = 160;

type Action = NonNullable<Assessed['action']>;

/** By the text of both, as for any path. */
function elsewhereWhy(folder: string | undefined, own: string | undefined): string | undefined {
  if (folder === undefined || own === undefined || isWithin(resolved(folder), resolved(own))) return undefined;
  return `runs in ${folder}, not in the session’s folder`;
}

/** As much of an input as is searched for hidden characters. */
const MOST_SEARCHED = 100_000;

function hiddenWhy(input: Record<string, unknown>): string | undefined {
  const text = textsIn(input).join('\n').slice(0, MOST_SEARCHED);
  const count = exactSegments(text).filter(({ mark }) => mark !== undefined).length;
  if (count === 0) return undefined;
  return count === 1
    ? 'one character is invisible or looks like another, and is marked'
    : `${count} characters are invisible or look like others, and are marked`;
}

function assessAction(action: Action, folder: string | undefined, isLineOnly: boolean, note: Note): void {
  const { tool_name, input, diff, files = [], work_folder = folder } = action;
  note('hidden', hiddenWhy(input));
  if (isAskedAgain(action)) note('asked_again', askedAgainWhy(action.reason ?? '').why);
  const scripts = isLineOnly ? undefined : { files, base: startFolder(work_folder, input) };
  for (const [name, value] of Object.entries(input))
    if (COMMAND_ARGUMENTS.includes(name)) assessCommand(commandLine(value), folder, note, scripts);
    else assessField(name, value, folder, note);
  note('replaces', replacedWhy(input, startFolder(work_folder, input), files));
  if (DELETING_TOOL.test(tool_name)) note('destructive', `${tool_name} deletes`);
  if (diff !== undefined) assessDiff(diff, folder, note);
  if (Array.isArray(input.files)) for (const file of input.files) assessFile(Object(file) as Fields, folder, note);
  const { network, fileSystem } = Object(input.permissions) as Record<string, Fields | null>;
  if (network?.enabled === true) note('network', 'asks for access to the network');
  for (const path of [fileSystem?.write, fileSystem?.read].flat()) assessPath(path, folder, note);
}

type Fields = Record<string, unknown>;
const DELETING_TOOL = /(?:^|[_./-])(?:delete|remove|drop|destroy|purge|terminate)(?=$|[_./-])/i;

const PATH_FIELDS = new Set([
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'file',
  'cwd',
  'workdir',
  'directory',
  'grantRoot',
  'grant_root',
]);
const SQL_FIELDS = new Set(['sql', 'query', 'statement']);
const URL_FIELDS = /^(?:url|uri|href|link|endpoint|address|host|remote)s?$/i;
const URL = /^(?:https?|wss?|ftp|ssh):\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;
/** Fields that say where a call acts; a text that mentions production elsewhere is a text. */
const TARGET_FIELD =
  /^(?:env|environment|stage|target|namespace|cluster|database|db|host|url|project|branch|context|region|account)$/i;

function assessField(name: string, value: unknown, folder: string | undefined, note: Note): void {
  if (typeof value !== 'string') return;
  if (PATH_FIELDS.has(name)) assessPath(value, folder, note);
  if (SQL_FIELDS.has(name) && DELETING_SQL.test(value)) note('destructive', 'has a statement that deletes data');
  const host = URL_FIELDS.test(name) ? URL.exec(value)?.[1] : undefined;
  if (host !== undefined && !LOOPBACK.test(host)) note('network', `reaches ${host}`);
  if (TARGET_FIELD.test(name) && namesProduction(value)) note('production', `the ${name} is called “${value}”`);
}

function assessPath(path: unknown, folder: string | undefined, note: Note): void {
  if (typeof path !== 'string') return;
  const found = credentialsIn([path]);
  note('credentials', found && `uses ${found}`);
  const outside = outsidePath(path, { folder, base: folder });
  if (outside !== undefined) note('outside_folder', `uses ${outside}`);
}

function assessFile({ path, change }: Fields, folder: string | undefined, note: Note): void {
  assessPath(path, folder, note);
  const isOwn = typeof path === 'string' && isInside(path, { folder, base: folder });
  if (change === 'delete') note(isOwn ? 'deletes' : 'destructive', `deletes ${String(path)}`);
}

const DIFF_FILES = /^(?:---|\+\+\+) (?:[ab]\/)?(\S[^\t\n]*)/gm;

function assessDiff(diff: string, folder: string | undefined, note: Note): void {
  const deleted = /^(?:deleted file mode|\+\+\+ \/dev\/null)/m.test(diff);
  const paths = [...diff.matchAll(DIFF_FILES)].flatMap(([, path]) => (path === '/dev/null' ? [] : [path ?? '']));
  const isOwn = paths.length > 0 && paths.every((path) => isInside(path, { folder, base: folder }));
  if (deleted) note(isOwn ? 'deletes' : 'destructive', 'deletes a file');
  for (const path of paths) assessPath(path, folder, note);
}
