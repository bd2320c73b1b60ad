// A whole server inside the test: a real SQLite store in a temporary folder, the real gateway, the real Fastify app.
// Calls go through `inject` or a loopback port; every reply is held against the documented response before a test sees
// it. The clock is the machine's plus an offset that a test may move. `close` takes everything apart again.
import { hash as digest, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { actionSummary } from '../../src/client/action-summary.ts';
import type { ConsultDelegate } from '../../src/core/delegate.ts';
import { sortableId } from '../../src/core/id.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import { compileRoutes, type NoticeRoute } from '../../src/core/notice-route.ts';
import type { Ports } from '../../src/core/ports.ts';
import type { RuleSet } from '../../src/core/rule-index.ts';
import type { NewTokenView } from '../../src/core/views.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { createMcpHttpHandler } from '../../src/mcp/http-handler.ts';
import type { Patience } from '../../src/mcp/wait.ts';
import { createNotices, type Notices } from '../../src/notices/notices.ts';
import { createApp } from '../../src/server/app.ts';
import type { HookHandlers } from '../../src/server/routes/hooks.ts';
import type { App } from '../../src/server/routes/route.ts';
import type { Tracing } from '../../src/server/tracing.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { Contract, type OpenApi } from './contract.ts';

export interface ServerOptions {
  /** Decide approvals before they become pending. */
  rules?: RuleSet;
  /** What they delegate to. */
  delegates?: ConsultDelegate;
  limits?: Partial<Limits>;
  /** Further origins that may call from a browser. */
  origins?: string[];
  /** A trusted proxy does TLS in front, under this name. */
  proxiedAs?: string;
  /** The folder of a built page. */
  page?: string;
  /** How long tool calls wait, and how often they say so. */
  patience?: Patience;
  /** Grace for lapsed leases after a start or a leap of the clock; none unless a test asks for it. */
  leaseGraceMs?: number;
  /** Who is notified of what. */
  noticeRoutes?: NoticeRoute[];
  /** Hosts of this machine that may be notified. */
  notifyHosts?: string[];
  /** Doors of attached agents. */
  hooks?: HookHandlers;
  logger?: Logger;
  tracing?: Tracing | undefined;
}

export interface CallOptions {
  /** A secret, or null for none. The operator's unless said otherwise. */
  token?: string | null;
  headers?: Record<string, string>;
}

export interface Reply<T> {
  status: number;
  headers: Record<string, string>;
  body: T;
  text: string;
}

export const hash = (text: string): string => digest('sha256', text, 'hex');

interface Parts {
  app: App;
  gateway: Gateway;
  notices: Notices;
  ports: Ports;
}

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdpoint-test-'));
  readonly token = `operator-${randomBytes(8).toString('hex')}`;
  /** What the sweep could not do; a test that expects none looks here. */
  readonly sweepErrors: unknown[] = [];
  /** What went wrong at the MCP door beside its replies. */
  readonly mcpErrors: unknown[] = [];
  /** Every route that was registered, hidden ones too: `GET /v1/runs/:run_id`. */
  readonly routes = new Set<string>();
  readonly #key = randomBytes(32);
  readonly #options: ServerOptions;
  #offsetMs = 0;
  #parts: Parts | undefined;
  #contract: Contract | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  now = (): number => Date.now() + this.#offsetMs;

  /** Moves the server's clock forward. */
  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  async open(): Promise<void> {
    const store = await openSqlite(this.folder, hash);
    const sealer = createSealer(this.#key);
    const ports: Ports = {
      store,
      hash,
      clock: { now: this.now },
      ids: {
        next: (prefix) => sortableId(prefix, this.now(), randomBytes(16)),
        secret: () => `hp_${randomBytes(32).toString('base64url')}`,
      },
      sealer,
      auditKeys: openAuditKeys(undefined, this.folder, sealer),
      isDispatchAgent: (agent) => agent === 'exec',
      takesSettings: (agent) => agent === 'claude',
    };
    const limits = { ...DEFAULT_LIMITS, ...this.#options.limits };
    const untraced = createGateway(ports, {
      pendingAsksPerSession: limits.pendingAsksPerSession,
      sessionBytesPerDay: limits.sessionBytesPerDay,
      rules: { rules: () => this.#options.rules, fault: () => undefined },
      delegates: this.#options.delegates,
      leaseGraceMs: this.#options.leaseGraceMs ?? 0,
      onError: (error) => this.sweepErrors.push(error),
    });
    const gateway = this.#options.tracing?.wrap(untraced) ?? untraced;
    await gateway.start(['builtin']);
    await gateway.presetToken(this.token, 'operator', 'operator');
    const routes = compileRoutes(this.#options.noticeRoutes ?? []);
    const notices = createNotices(ports, gateway, {
      summarise: actionSummary,
      routes: { routes: () => routes, fault: () => undefined },
      privateHosts: this.#options.notifyHosts ?? [],
      pushContact: 'mailto:test@example.org',
      pageUrl: () => 'https://holdpoint.example.org',
      onError: (error) => this.sweepErrors.push(error),
    });
    await notices.start();
    subscribe('fastify.initialization', this.#noteRoutes);
    const app = await createApp({
      gateway,
      notices,
      limits,
      hosts: new Set(['127.0.0.1', 'localhost', '[::1]', this.#options.proxiedAs ?? 'localhost']),
      behindProxy: this.#options.proxiedAs !== undefined,
      origins: new Set(this.#options.origins),
      version: '0.0.0-test',
      logger: this.#options.logger,
      tracing: this.#options.tracing,
      page: this.#options.page,
      hooks: this.#options.hooks,
      mcp: createMcpHttpHandler({
        gateway,
        version: '0.0.0-test',
        patience: this.#options.patience,
        onError: (error) => this.mcpErrors.push(error),
      }),
    });
    unsubscribe('fastify.initialization', this.#noteRoutes);
    await app.ready();
    this.#parts = { app, gateway, notices, ports };
    this.#contract ??= new Contract((await app.inject({ url: '/openapi.json' })).json<OpenApi>());
  }

  #noteRoutes = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) this.routes.add(`${one} ${url}`);
    });
  };

  get gateway(): Gateway {
    return this.#running.gateway;
  }

  get ports(): Ports {
    return this.#running.ports;
  }

  get openApi(): OpenApi {
    return this.#described.document;
  }

  get #running(): Parts {
    if (!this.#parts) throw new Error('the server is closed');
    return this.#parts;
  }

  get #described(): Contract {
    if (!this.#contract) throw new Error('the server was never opened');
    return this.#contract;
  }

  /** The address on loopback; listens when it is first asked for. */
  async url(): Promise<string> {
    const { app } = this.#running;
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  }

  async call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply<T>> {
    const reply = await this.raw(method, path, body === undefined ? undefined : JSON.stringify(body), options);
    this.#described.check(method, path, reply);
    return reply as Reply<T>;
  }

  get<T>(path: string, options?: CallOptions): Promise<Reply<T>> {
    return this.call<T>('GET', path, undefined, options);
  }

  post<T>(path: string, body: unknown = {}, options?: CallOptions): Promise<Reply<T>> {
    return this.call<T>('POST', path, body, options);
  }

  /** A request as it is, bytes and all; its reply is not judged. */
  async raw(method: string, path: string, body?: string | Buffer, options: CallOptions = {}): Promise<Reply<unknown>> {
    const token = options.token === undefined ? this.token : options.token;
    const response = await this.#running.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { payload: body }),
    });
    const headers = response.headers as Record<string, string>;
    const isJson = /json/.test(String(headers['content-type'] ?? ''));
    const text = response.body;
    return { status: response.statusCode, headers, body: isJson && text !== '' ? JSON.parse(text) : text, text };
  }

  async makeToken(scope: string, sessionId?: string, more: Record<string, unknown> = {}): Promise<NewTokenView> {
    const body = { scope, ...(sessionId !== undefined && { session_id: sessionId }), ...more };
    const reply = await this.post<NewTokenView>('/v1/tokens', body);
    if (reply.status !== 201) throw new Error(`no token: ${reply.text}`);
    return reply.body;
  }

  /** Stops and starts again on the same folder; `whileDown` happens to the clock in between. */
  async restart(whileDown?: () => void | Promise<void>): Promise<void> {
    await this.stop();
    await whileDown?.();
    await this.open();
  }

  async stop(): Promise<void> {
    if (!this.#parts) return;
    const { app, gateway, notices, ports } = this.#parts;
    this.#parts = undefined;
    await app.close();
    await notices.stop();
    await gateway.stop();
    await ports.store.close();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function openServer(options: ServerOptions = {}): Promise<Server> {
  const server = new Server(options);
  await server.open();
  return server;
}
