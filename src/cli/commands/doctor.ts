// `holdpoint doctor`: checks the installation, the server and the agents, and says what to do about each problem. Every
// check is independent and changes nothing. The exit code is that of the first check that failed.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, PAGE_SIZE } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { serverUrl, stateFolder } from '../../client/local.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { agentChecks } from '../connect/agent-checks.ts';
import { EXIT, type ExitName } from '../exit-codes.ts';
import { reportOf } from '../failure.ts';
import { print, printJson, terminalWidth } from '../output.ts';
import { programName } from '../program-name.ts';
import { addressOf, probe, tokenOf } from '../server-connection.ts';
import { wrap } from '../text/layout.ts';
import { type Line, line, type Style, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import { version } from '../version.ts';

export interface Check {
  name: string;
  state: 'good' | 'warning' | 'bad';
  detail: string;
  advice?: string;
  /** For a bad check. */
  exit?: ExitName;
}

const NEEDED_NODE = 24;

export function doctorCommand(): Command {
  return new Command('doctor', 'check the installation, and say what to do about problems')
    .withExamples('holdpoint doctor', 'holdpoint doctor --json')
    .withServer()
    .action(doctor);
}

async function doctor(flags: ServerFlags): Promise<void> {
  const { env } = process;
  const url = addressOf(flags.url ?? serverUrl(env));
  const checks = [
    node(),
    ...stateFolderChecks(stateFolder(env)),
    ...(await serverChecks(url, flags, env)),
    ...(await agentChecks(env, url)),
  ];
  const bad = checks.find((check) => check.state === 'bad');
  process.exitCode = bad ? EXIT[bad.exit ?? 'unexpected'] : EXIT.done;
  if (flags.json) return printJson({ ok: !bad, version, checks: checks.map(({ exit: _, ...check }) => check) });
  for (const check of checks) print(...checkLines(check, terminalWidth()));
  print([], verdict(checks));
}

function verdict(checks: readonly Check[]): Line {
  const states = new Set(checks.map(({ state }) => state));
  if (states.has('bad')) return line(span('Something is missing: see → above.', 'bad'));
  if (states.has('warning')) return line(span('It works. For the warnings, see → above.', 'warn'));
  return line(span('All is well.', 'good'));
}

const MARKS: Record<Check['state'], readonly [string, Style]> = {
  good: ['✓', 'good'],
  warning: ['!', 'warn'],
  bad: ['✗', 'bad'],
};

function checkLines({ name, state, detail, advice }: Check, width: number): Line[] {
  const [mark, style] = MARKS[state];
  const head = wrap(line(span(`${mark} `, style), span(name.padEnd(13), 'bold'), oneLine(detail)), width, 15);
  return advice === undefined ? head : [...head, ...wrap(line(span(`  → ${advice}`, style)), width, 4)];
}

function node(): Check {
  const detail = `Node ${process.versions.node}, Holdpoint ${version}`;
  if (Number.parseInt(process.versions.node, 10) >= NEEDED_NODE) return { name: 'versions', state: 'good', detail };
  const advice = `Holdpoint needs Node ${NEEDED_NODE}; \`npm install\` in the clone installs it`;
  return { name: 'versions', state: 'bad', detail, advice };
}

/** What SECURITY.md says under "What a hosted program can read". */
const EXPOSURE =
  'agents that a worker of your account hosts can read every file of your account, operator.token and worker.token among them, and where the system lets them, the memory of server and worker and the environment of what started them. For agents that you do not trust, start as root: holdpoint worker --run-as <account>, or use another machine';

function stateFolderChecks(folder: string): Check[] {
  const name = 'state folder';
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found)
    return [
      {
        name,
        state: 'warning',
        detail: `${folder} does not exist yet`,
        advice: `\`${programName()} serve\` creates it`,
      },
    ];
  const open = [folder, ...['operator.token', 'worker.token', 'secret.key'].map((file) => join(folder, file))].filter(
    (path) => othersMayRead(path),
  );
  if (open.length === 0)
    return [
      { name, state: 'good', detail: `${folder}, closed to other users` },
      { name: 'exposure', state: 'good', detail: EXPOSURE },
    ];
  const advice = `chmod go= ${open.join(' ')}`;
  return [{ name, state: 'warning', detail: `other users of this machine can read ${open.join(', ')}`, advice }];
}

function othersMayRead(path: string): boolean {
  if (process.platform === 'win32') return false;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) !== 0;
}

async function serverChecks(url: string, flags: ServerFlags, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const problem = await failureOf(probe(url));
  if (problem) {
    const { message } = reportOf(problem);
    return [{ name: 'server', state: 'bad', detail: message, advice: `${programName()} serve`, exit: 'unreachable' }];
  }
  const open = createClient({ url, token: '', retryForMs: 0 });
  return [
    await serverVersion(open, url),
    await databaseCheck(open),
    await tokenCheck(url, flags, env),
    ...(await routesCheck(url, flags, env)),
  ];
}

/** Only where there is a fault. A token that may not ask is reported by its own check. */
async function routesCheck(url: string, flags: ServerFlags, env: NodeJS.ProcessEnv): Promise<Check[]> {
  try {
    const client = createClient({ url, token: tokenOf(flags, env), retryForMs: 0 });
    const { routes_fault: detail } = await client.notices.settings();
    const advice = 'repair routes.yaml in the state folder of the server; it is read again at once';
    return detail === undefined ? [] : [{ name: 'routes', state: 'warning', detail, advice }];
  } catch {
    return [];
  }
}

async function serverVersion(client: Client, url: string): Promise<Check> {
  const document = await client.system.openapi().catch(() => ({}));
  const { version: theirs } = ((document as Record<string, unknown>).info ?? {}) as { version?: string };
  const detail = `${url} answers, Holdpoint ${theirs ?? 'of unknown version'}`;
  if (theirs === version) return { name: 'server', state: 'good', detail };
  const advice = `this command line is ${version}; use the same version on both sides, and restart the server after an update`;
  return { name: 'server', state: 'warning', detail, advice };
}

async function databaseCheck(client: Client): Promise<Check> {
  const problem = await failureOf(client.system.ready());
  if (!problem) return { name: 'database', state: 'good', detail: 'the server can read it' };
  const advice = `see the server's log, and try \`${programName()} db status\` on its machine`;
  return { name: 'database', state: 'bad', detail: reportOf(problem).message, advice, exit: 'unreachable' };
}

/** Finds the scope of the token by a request that only operators may make. */
async function tokenCheck(url: string, flags: ServerFlags, env: NodeJS.ProcessEnv): Promise<Check> {
  const name = 'token';
  try {
    const client = createClient({ url, token: tokenOf(flags, env), retryForMs: 0 });
    const scope = await scopeOf(client);
    const waiting = (await client.asks.list({ status: 'pending', limit: PAGE_SIZE })).items.length;
    const asks =
      waiting === 0 ? 'nothing is waiting' : `${waiting === PAGE_SIZE ? `over ${PAGE_SIZE}` : waiting} waiting`;
    if (scope === 'operator') return { name, state: 'good', detail: `valid, scope operator; ${asks}` };
    const advice = 'it cannot answer; use an operator token for that (HOLDPOINT_TOKEN, --token-file)';
    return { name, state: 'warning', detail: `valid, scope ${scope}; ${asks}`, advice };
  } catch (error) {
    return { name, state: 'bad', detail: reportOf(error).message, advice: tokenAdvice(flags, env), exit: 'refused' };
  }
}

/** A token in a flag or variable hides the one in the file; the one in the file may have been revoked. */
function tokenAdvice(flags: ServerFlags, env: NodeJS.ProcessEnv): string {
  const file = join(stateFolder(env), 'operator.token');
  const right = 'set HOLDPOINT_TOKEN to the content of operator.token in the state folder of the server';
  if (!statSync(file, { throwIfNoEntry: false })) return right;
  const flag = flags.tokenFile ? '--token-file' : flags.token ? '--token' : undefined;
  if (flag || env.HOLDPOINT_TOKEN)
    return `${right}; or ${flag ? `leave out ${flag}` : 'unset it'} to use ${file}, if that is the state folder of this server`;
  return `if ${file} belongs to this server, its token was revoked: restart the server, which creates a new one; otherwise ${right}`;
}

async function scopeOf(client: Client): Promise<string> {
  const refusal = await failureOf(client.tokens.list({ limit: 1 }));
  if (refusal === undefined) return 'operator';
  if (!(refusal instanceof HoldpointProblem) || refusal.code !== 'scope_forbidden') throw refusal;
  return /scope "(\w+)"/.exec(refusal.detail)?.[1] ?? 'unknown';
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  }
}
