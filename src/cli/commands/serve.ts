// `holdpoint serve`: runs the server with its built-in worker. Prints one line to standard output when it accepts requests;
// drains and exits 0 on SIGTERM. Also turns flags and environment variables into the settings of a server.
import { readFileSync } from 'node:fs';
import type { Running, Settings } from '../../boot/server.ts';
import { stateFolder } from '../../client/local.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import type { Permissions } from '../../core/session.ts';
import { readPrivateFile } from '../../node/private-file.ts';
import { Command } from '../command.ts';
import { listOption } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { withHiddenSecrets } from '../hidden-secrets.ts';
import { givenToken } from '../server-connection.ts';
import { drainOnSignal } from '../signals.ts';
import { startupHints } from '../startup-hints.ts';
import { version } from '../version.ts';
import { runtimeModules, workerPermissions } from './worker.ts';

const DRAIN_MS = 9000;
const LINGER_MS = 500;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export interface ServeFlags {
  host?: string;
  port?: string;
  data?: string;
  databaseUrl?: string;
  auditKey?: string;
  token?: string;
  tokenFile?: string;
  log?: string;
  allowHost: string[];
  allowOrigin: string[];
  tlsCert?: string;
  tlsKey?: string;
  behindProxy?: boolean;
  worker?: boolean;
  permissions?: Permissions;
  runtime?: string[];
}

export function serveCommand(): Command {
  return new Command('serve', 'start the server with its built-in worker; `holdpoint` alone does the same')
    .option('--host <address>', 'address to listen on (HOLDPOINT_HOST, 127.0.0.1)')
    .option('--port <number>', 'port, 0 for any free one (HOLDPOINT_PORT, 4777)')
    .option('--data <folder>', 'state folder (HOLDPOINT_DATA)')
    .option('--database-url <address>', 'PostgreSQL instead of SQLite (HOLDPOINT_DATABASE_URL)')
    .option(
      '--audit-key <file>',
      'file with the key that signs the log, outside of the state folder (HOLDPOINT_AUDIT_KEY_FILE)',
    )
    .withToken('file with the operator token (HOLDPOINT_TOKEN); otherwise generated and stored in the state folder')
    .option('--log <level>', 'log level (HOLDPOINT_LOG, warn)')
    .addOption(listOption('--allow-host <name>', 'another host name to answer to; may be repeated'))
    .addOption(listOption('--allow-origin <origin>', 'another origin that may call from a browser; may be repeated'))
    .option('--tls-cert <file>', 'certificate, to listen beyond this machine')
    .option('--tls-key <file>', 'its private key')
    .option('--behind-proxy', 'a trusted proxy in front of this server terminates TLS')
    .option('--no-worker', 'host no agents here; start `holdpoint worker` where they should run')
    .addOption(workerPermissions())
    .addOption(runtimeModules())
    .withExamples('holdpoint serve', 'holdpoint serve --port 0 --log info')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const settings = settingsOf(flags, withHiddenSecrets(process.env));
  const starting = import('../../boot/server.ts').then(({ startServer }) => startServer(settings));
  // A signal during the start waits for it: a server that has started is drained, not killed.
  drainOnSignal(() => starting.then((running) => running.stop()), DRAIN_MS);
  const running = await starting.catch((error: unknown) => {
    // What is left of it, such as a connection that is still closing, must not keep the process: it is started again.
    setTimeout(() => process.exit(), LINGER_MS).unref();
    throw new Failure('unexpected', startProblem(error));
  });
  process.stdout.write(`holdpoint ready ${running.url}\n`);
  if (settings.logLevel === 'silent') return;
  process.stderr.write(await invitation(running));
  process.stderr.write(startupHints({ ...settings, url: running.url }, process.env));
}

async function invitation(running: Pick<Running, 'hasPage' | 'offerSignIn'>): Promise<string> {
  if (!running.hasPage) return 'There is no web page: it was not built. In a clone, `npm start` builds it.\n';
  return `Open in a browser (works once, for ten minutes):\n  ${await running.offerSignIn()}\n`;
}

function startProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${message}. Another program uses this port; choose one with --port, or --port 0.`;
  return message ?? String(error);
}

/** A flag overrides its variable; an empty variable counts as unset. */
export function settingsOf(flags: ServeFlags, given: NodeJS.ProcessEnv): Settings {
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return {
    host: flags.host ?? env.HOLDPOINT_HOST ?? '127.0.0.1',
    port: portOf(flags.port, env.HOLDPOINT_PORT),
    data: flags.data ?? stateFolder(env),
    database: databaseOf(flags, env),
    secretKey: env.HOLDPOINT_SECRET_KEY,
    auditKey: flags.auditKey ?? env.HOLDPOINT_AUDIT_KEY_FILE,
    token: givenToken(flags) ?? env.HOLDPOINT_TOKEN ?? undefined,
    logLevel: logLevelOf(flags.log, env.HOLDPOINT_LOG),
    limits: limitsOf(env),
    allowedHosts: flags.allowHost,
    allowedOrigins: flags.allowOrigin,
    tls: tlsOf(flags),
    behindProxy: flags.behindProxy ?? false,
    worker: flags.worker ?? true,
    notify: notifyOf(env),
    permissions: flags.permissions,
    runtimes: flags.runtime,
    version,
  };
}

function notifyOf(env: NodeJS.ProcessEnv): Settings['notify'] {
  const contact = env.HOLDPOINT_PUSH_CONTACT ?? 'mailto:holdpoint@example.org';
  if (!/^(?:mailto:\S+@\S+|https:\/\/\S+)$/.test(contact))
    throw new Failure('usage', `HOLDPOINT_PUSH_CONTACT begins with mailto: or https://, unlike "${contact}"`);
  const hosts = (env.HOLDPOINT_NOTIFY_HOSTS ?? '').split(/[\s,]+/).filter((host) => host !== '');
  const odd = hosts.find((host) => !/^(?:\[[\da-f:.]+\]|[^\s/:@[\]]+)(?::\d{1,5})?$/i.test(host));
  if (odd !== undefined)
    throw new Failure(
      'usage',
      `HOLDPOINT_NOTIFY_HOSTS lists hosts such as ntfy.lan:8080 or 127.0.0.1, unlike "${odd}"`,
    );
  const pageUrl = env.HOLDPOINT_PAGE_URL?.replace(/\/+$/, '');
  if (pageUrl !== undefined && !/^https?:\/\/[^\s/?#]+$/.test(pageUrl))
    throw new Failure('usage', `HOLDPOINT_PAGE_URL is the address of the page, such as https://holdpoint.example.org`);
  return { hosts, contact, pageUrl };
}

const sourceOf = (flag: string | undefined, name: string, variable: string): string =>
  flag === undefined ? variable : name;

function portOf(flag: string | undefined, variable: string | undefined): number {
  const text = flag ?? variable ?? '4777';
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Failure(
    'usage',
    `${sourceOf(flag, '--port', 'HOLDPOINT_PORT')} takes a number from 0 to 65535, not "${text}".`,
  );
}

function logLevelOf(flag: string | undefined, variable: string | undefined): string {
  const level = flag ?? variable ?? 'warn';
  if (LOG_LEVELS.includes(level)) return level;
  throw new Failure(
    'usage',
    `${sourceOf(flag, '--log', 'HOLDPOINT_LOG')} takes ${LOG_LEVELS.join(', ')}, not "${level}".`,
  );
}

function tlsOf({ tlsCert, tlsKey }: ServeFlags): Settings['tls'] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { cert: readPem(tlsCert, readText), key: readPem(tlsKey, readPrivateFile) };
  throw new Failure('usage', '--tls-cert and --tls-key go together; only one was given.');
}

const readText = (file: string): string => readFileSync(file, 'utf8');

function readPem(file: string, read: (file: string) => string): string {
  try {
    return read(file);
  } catch (error) {
    throw new Failure('usage', (error as Error).message);
  }
}

/** `?pooled=true` in the address: a transaction-mode pooler is in between. `?pool_size=20`: connections of this server. */
function databaseOf(flags: ServeFlags, env: NodeJS.ProcessEnv): Settings['database'] {
  const address = flags.databaseUrl ?? env.HOLDPOINT_DATABASE_URL;
  if (!address) return undefined;
  if (!URL.canParse(address) || !/^postgres(ql)?:$/.test(new URL(address).protocol))
    throw new Failure('usage', 'HOLDPOINT_DATABASE_URL takes postgres://user:password@host:port/database');
  const url = new URL(address);
  const pooled = url.searchParams.get('pooled') === 'true';
  const poolSize = Number(url.searchParams.get('pool_size') ?? 10);
  url.searchParams.delete('pooled');
  url.searchParams.delete('pool_size');
  return { url: url.href, poolSize, pooled };
}

/** HOLDPOINT_LIMIT_AGENT_REQUESTS_PER_SECOND and so on, one for each limit; 0 disables it. */
function limitsOf(env: NodeJS.ProcessEnv): Limits {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const variable = `HOLDPOINT_LIMIT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;
    const text = env[variable];
    if (text === undefined) continue;
    if (!/^\d+$/.test(text))
      throw new Failure('usage', `${variable} takes a whole number, 0 for no limit, not "${text}"`);
    limits[name] = Number(text);
  }
  return limits;
}
