// Composes the server: opens the state folder, wires store, gateway, transports and the built-in worker together, and
// stops them in the right order. Every other composition has a file of its own here and is loaded alone.
import { hash as digest, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { loadAgents } from '../agents/registry.ts';
import { actionSummary } from '../client/action-summary.ts';
import { createClient } from '../client/client.ts';
import { Waits } from '../client/waits.ts';
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import { sortableId } from '../core/id.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Ports, Sealer, Store } from '../core/ports.ts';
import type { Permissions } from '../core/session.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import { createMcpHttpHandler } from '../mcp/http-handler.ts';
import { narrowUmask } from '../node/umask.ts';
import { CHANNEL_NAMES } from '../notices/channels.ts';
import { createNotices } from '../notices/notices.ts';
import { type AppOptions, createApp } from '../server/app.ts';
import { isBuilt } from '../server/page.ts';
import type { App } from '../server/routes/route.ts';
import { createTracing } from '../server/tracing.ts';
import { createSealer } from '../store/sealer.ts';
import { openSqlite } from '../store/sqlite.ts';
import { startAttachments } from '../worker/attachments.ts';
import { createDelegates } from '../worker/delegate.ts';
import { withholdDatabase } from '../worker/program-environment.ts';
import { startWorker } from '../worker/worker.ts';
import { openAuditKeys } from './audit-keys.ts';
import { createHookServers } from './hook-servers.ts';
import { watchRoutes } from './routes-file.ts';
import { watchRules } from './rules-file.ts';
import { loadRuntimes } from './runtimes.ts';
import { keptSecret, openStateFolder, refuseWeakToken, secretKey } from './state-folder.ts';

export interface Settings {
  host: string;
  port: number;
  data: string;
  /** PostgreSQL instead of the SQLite file in the state folder. */
  database: { url: string; poolSize: number; pooled: boolean } | undefined;
  /** The key secrets are sealed with; several servers on one database share it. Kept in the state folder otherwise. */
  secretKey: string | undefined;
  /** The file with the key that signs the log. In the state folder otherwise. */
  auditKey?: string | undefined;
  token: string | undefined;
  logLevel: string;
  limits: Limits;
  /** Further host names the server answers to, and origins that may call it. */
  allowedHosts: string[];
  allowedOrigins: string[];
  tls: { cert: string; key: string } | undefined;
  behindProxy: boolean;
  /** Whether the server hosts agents itself; it does unless told not to. */
  worker?: boolean | undefined;
  notify: NotifySettings;
  /** Modules with runtimes for the built-in worker. */
  runtimes?: readonly string[] | undefined;
  /** Whether its agents ask for approval, where their session does not say. */
  permissions?: Permissions | undefined;
  version: string;
}

export interface NotifySettings {
  /** Hosts inside the network that devices and webhooks may be at: `host` or `host:port`. */
  hosts: readonly string[];
  /** Whom push services may write to. */
  contact: string;
  /** Where people reach the page, for links in webhooks. The server's own address otherwise. */
  pageUrl: string | undefined;
}

export interface Running {
  url: string;
  token: string;
  logger: Logger;
  /** Whether there is a page to sign in to. */
  hasPage: boolean;
  /** A link that signs a browser in, once. */
  offerSignIn(): Promise<string>;
  stop(): Promise<void>;
}

/** Built from web/; next to the sources in a clone, next to the build in a package. */
const PAGE = fileURLToPath(new URL('../../web/dist', import.meta.url));
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

const STOP_MS = 9000;

/** What was opened is closed in the opposite order: at the end, or when the start fails half-way. */
export async function startServer(settings: Settings): Promise<Running> {
  refuseOpenBind(settings);
  narrowUmask();
  openStateFolder(settings.data);
  const open: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of open.splice(0).reverse()) await close();
  };
  try {
    return { ...(await compose(settings, open)), stop };
  } catch (error) {
    // What failed may be the database, and closing its connections waits for its replies.
    const late = new AbortController();
    await Promise.race([stop(), sleep(STOP_MS, undefined, { signal: late.signal })]);
    late.abort();
    throw error;
  }
}

async function compose(settings: Settings, open: (() => Promise<unknown>)[]): Promise<Omit<Running, 'stop'>> {
  const logger = pino({ level: settings.logLevel }, pino.destination(2));
  const hash = (text: string): string => digest('sha256', text, 'hex');
  const sealer = createSealer(secretKey(settings.secretKey, settings.data));
  const { store, clock, pool } = await openStore(settings, hash, sealer, logger);
  open.push(() => store.close());
  const agents = await loadAgents();
  const runtimes = await loadRuntimes(settings.runtimes);
  const dispatchers = new Set(agents.filter(({ takes }) => takes === 'command').map(({ name }) => name));
  const inputChecks = new Map(
    await Promise.all(agents.map(async ({ name, inputCheck }) => [name, await inputCheck?.()] as const)),
  );
  const ports: Ports = {
    store,
    hash,
    clock,
    ids: {
      next: (prefix) => sortableId(prefix, clock.now(), randomBytes(16)),
      secret: () => `hp_${randomBytes(32).toString('base64url')}`,
    },
    sealer,
    auditKeys: openAuditKeys(settings.auditKey, settings.data, sealer),
    isDispatchAgent: (agent) => dispatchers.has(agent),
    takesSettings: (agent) => agents.some(({ name, settings: chosen }) => name === agent && chosen.length > 0),
    inputProblem: (agent, input) => inputChecks.get(agent)?.(input),
  };
  const stopping = new AbortController();
  open.push(async () => stopping.abort());
  const untraced = createGateway(ports, {
    pendingAsksPerSession: settings.limits.pendingAsksPerSession,
    sessionBytesPerDay: settings.limits.sessionBytesPerDay,
    rules: watchRules(settings.data, (message) => logger.error(message)),
    delegates: createDelegates(settings.data, stopping.signal),
    onError: (error) => logger.error({ err: error }, 'the sweep failed; it tries again'),
  });
  const tracing = createTracing(settings.version);
  const gateway = tracing?.wrap(untraced) ?? untraced;
  if (settings.token !== undefined) refuseWeakToken(settings.token);
  await gateway.start(settings.database ? [] : ['builtin']);
  open.push(async () => {
    await gateway.stop();
    await gateway
      .signLog()
      .catch((error: unknown) => logger.error({ err: error }, 'the log was not signed at the end'));
  });
  const token = await operatorToken(gateway, settings);
  let address: string | undefined;
  const notices = createNotices(ports, gateway, {
    summarise: actionSummary,
    routes: watchRoutes(settings.data, CHANNEL_NAMES, (message) => logger.error(message)),
    privateHosts: settings.notify.hosts,
    pushContact: settings.notify.contact,
    pageUrl: () => settings.notify.pageUrl ?? address,
    onError: (error) => logger.error({ err: error }, 'notices failed; they are tried again'),
  });
  await notices.start();
  open.push(() => notices.stop());
  const hookServers = createHookServers(agents);
  const app = await createApp({
    gateway,
    notices,
    limits: settings.limits,
    hosts: new Set([...LOOPBACK, settings.host, ...settings.allowedHosts]),
    origins: new Set(settings.allowedOrigins),
    version: settings.version,
    logger,
    https: settings.tls,
    behindProxy: settings.behindProxy,
    page: PAGE,
    mcp: createMcpHttpHandler({
      gateway,
      version: settings.version,
      onError: (error) => logger.warn({ err: error }, 'the MCP door'),
    }),
    agents: agents.map((agent) => ({ ...agent, is_connectable: agent.attached !== undefined })),
    hooks: hookServers.handlers,
    pool,
    tracing,
  });
  open.push(() => app.close());
  await app.listen({ host: settings.host, port: settings.port });
  const { port } = app.server.address() as AddressInfo;
  const shownHost = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `${settings.tls ? 'https' : 'http'}://${shownHost}:${port}`;
  address = url;
  const secret = await keptToken(gateway, settings.data, 'worker', 'worker:builtin');
  const door = settings.tls || !isLoopback(settings.host) ? await loopbackDoor(app, open) : url;
  const own = createClient({ url: door, token: secret });
  const waits = new Waits(own.http);
  open.push(async () => {
    await hookServers.stop();
    waits.close();
  });
  await hookServers.start({ client: own, waits, log: logger }, settings.database === undefined);
  if (settings.worker !== false) {
    const { permissions } = settings;
    // Several servers on one database are several workers; what one of them had is found again when its lease is over.
    const workerId = settings.database ? `builtin:${sortableId('wrk', clock.now(), randomBytes(16))}` : 'builtin';
    const worker = startWorker({ url: door, token: secret, workerId, agents, runtimes, permissions, log: logger });
    worker.done.catch((error: unknown) => logger.error({ err: error }, 'the built-in worker stopped'));
    open.push(() => worker.stop());
  }
  // Also without a worker here: only this process knows for certain that it serves this state folder.
  const attachments = startAttachments({ url: door, token: secret, data: settings.data, agents, log: logger });
  open.push(() => attachments.stop());
  const offerSignIn = async () => {
    const { view } = await gateway.offerSignIn({}, 'system');
    return `${url}/sign-in#${view.code}`;
  };
  return { url, token, logger, hasPage: isBuilt(PAGE), offerSignIn };
}

/** The built-in worker comes in over HTTP like any other; where the server's own door has TLS, by one on loopback. */
async function loopbackDoor(app: App, open: (() => Promise<unknown>)[]): Promise<string> {
  const door = createServer((request, response) => app.routing(request, response));
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    door.close();
    door.closeAllConnections();
  });
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
}

async function openStore(
  settings: Settings,
  hash: Hash,
  sealer: Sealer,
  logger: Logger,
): Promise<{ store: Store; clock: Clock; pool?: AppOptions['pool'] }> {
  if (!settings.database) return { store: await openSqlite(settings.data, hash), clock: { now: Date.now } };
  const onError = (error: unknown) => logger.warn({ err: error }, 'the database connection failed; it is tried again');
  const { openPostgres } = await import('../store/postgres.ts');
  withholdDatabase(settings.database.url);
  if (isInTheClear(settings.database.url)) logger.warn(IN_THE_CLEAR);
  return openPostgres({ ...settings.database, hash, sealer, onError });
}

const IN_THE_CLEAR =
  'The connection to PostgreSQL on another host has no TLS: questions, answers and the password can be read on the way. Add ?sslmode=verify-full to the address, or connect through a socket or tunnel.';

/** Without TLS to another host. A socket's folder is given as the host, or instead of one. */
export function isInTheClear(address: string): boolean {
  const { hostname, searchParams } = new URL(address);
  const host = searchParams.get('host') ?? (hostname || process.env.PGHOST || '');
  const mode = searchParams.get('sslmode') ?? process.env.PGSSLMODE ?? 'disable';
  const isLocal =
    host === '' || host.startsWith('/') || host.startsWith('%2F') || isLoopback(host.replace(/[[\]]/g, ''));
  return !isLocal && (mode === 'disable' || mode === 'allow') && searchParams.get('ssl') !== 'true';
}

function refuseOpenBind({ host, tls, behindProxy }: Settings): void {
  if (isLoopback(host) || tls || behindProxy) return;
  throw fail(
    'invalid_request',
    `Refusing to listen on ${host}: anyone on the network could try to answer. Give --tls-cert and --tls-key, or --behind-proxy if a proxy you trust does TLS; or listen on 127.0.0.1.`,
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

async function operatorToken(gateway: Gateway, { token, data }: Settings): Promise<string> {
  if (token === undefined) return keptToken(gateway, data, 'operator', 'operator');
  if (await gateway.presetToken(token, 'operator', 'operator')) return token;
  throw fail('invalid_request', 'The preset token (HOLDPOINT_TOKEN) was revoked. Give another one, or none.');
}

/** A stored token that was revoked is replaced, because no caller could use it. */
async function keptToken(
  gateway: Gateway,
  folder: string,
  scope: 'operator' | 'worker',
  name: string,
): Promise<string> {
  const secret = keptSecret(folder, `${scope}.token`);
  refuseWeakToken(secret, `The token in ${join(folder, `${scope}.token`)}`);
  if (await gateway.presetToken(secret, scope, name)) return secret;
  rmSync(join(folder, `${scope}.token`));
  return keptToken(gateway, folder, scope, name);
}
