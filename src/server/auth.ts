// Authorises every request, in this order: Host, Origin, token or cookie, scope, CSRF (cookies), session. Runs before
// the body is read. Each route declares its scopes; a route without a declaration is a programming error and refuses to
// start.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SURFACES, type Surface } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import { type Actor, personOf, type Scope, type Token } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { RUN_IDENTITY_PREFIX } from '../gateway/run-identity.ts';
import { SKILL_IDENTITY_PREFIX } from '../gateway/skill-identity.ts';
import { checkCsrf, checkOwnPage, checkSite, isTls, sessionSecretOf, type Transport } from './browser.ts';
import type { Throttle } from './limits.ts';
import { DOOR, DOOR_USER } from './opencode/protocol.ts';
import { wantsStream } from './sse.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor;
  }
  interface FastifyContextConfig {
    /** `page`: our own page, before a person has signed in. It needs its own Origin and no token. */
    scopes?: readonly Scope[] | 'open' | 'page';
    /** What is said here is kept nowhere as it is: texts may be what no database could keep. */
    anyText?: boolean;
    /** Ambiguous JSON is accepted, and the handler decides what to do with it. */
    mayBeAmbiguous?: boolean;
    /** Where a body may have more than the limit of all others. */
    bodyBytes?: number;
    /** Probes and scrapers reach the server by an address that it need not know. */
    anyHost?: boolean;
    /** The reply is a stream, whatever the caller accepts. */
    isStream?: boolean;
    /** The reply is a stream where the caller accepts one. */
    mayStream?: boolean;
  }
}

export const READERS: readonly Scope[] = ['operator', 'viewer'];
export const ANSWERERS: readonly Scope[] = ['operator'];
export const AGENT_SIDE: readonly Scope[] = ['operator', 'worker', 'agent'];
export const WORKERS: readonly Scope[] = ['operator', 'worker'];
export const EVERY_READER: readonly Scope[] = ['operator', 'viewer', 'worker', 'agent'];

export interface AuthOptions {
  gateway: Gateway;
  throttle: Throttle;
  /** Host names this server answers to, without ports. */
  hosts: ReadonlySet<string>;
  /** Further origins that may call it from a browser. */
  origins: ReadonlySet<string>;
  transport: Transport;
}

const UNKNOWN_TOKEN = 'This token is unknown, expired or revoked.';
const SIGNED_OUT = 'This browser is not signed in any more. `holdpoint sign-in` prints a link that signs it in.';
const TOKEN_CACHE_MS = 5000;
const UNREAD_MS = 30_000;
/** What the caller may say that it is, by the header Holdpoint-Surface. Programs never say that a person's page called. */
const PERSONS_SURFACES = new Set<string>(SURFACES.filter((s) => s !== 'system'));
const PROGRAMS_SURFACES = new Set<string>(['api', 'cli', 'mcp'] satisfies Surface[]);

export function guard(app: FastifyInstance, options: AuthOptions): void {
  const known = new Map<string, { token: Token; until: number }>();

  app.decorateRequest('actor', null as unknown as Actor);
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) route.config = { ...route.config, scopes: 'open' };
    if (route.config?.scopes === undefined) throw new Error(`Route ${route.method} ${route.url} declares no scopes.`);
  });
  app.addHook('onRequest', async (request) => {
    checkHost(request, options.hosts);
    checkOrigin(request, options);
    checkAddress(request);
    const scopes = request.routeOptions.config.scopes;
    const identity = identityIn(request);
    if (identity !== undefined) return admitIdentity(request, identity, scopes);
    if (scopes === 'open') return;
    if (scopes === 'page') return checkOwnPage(request);
    const bearer = bearerOf(request);
    if (isBasic(request)) checkSite(request);
    const cookie = bearer === undefined ? sessionSecretOf(request) : undefined;
    if (cookie !== undefined) checkOwnPage(request);
    const actor = await authenticate(request, bearer, cookie);
    request.actor = actor;
    options.throttle.request(actor, bodyBytes(request), options.gateway.now());
    if (scopes) checkScope(actor, scopes, request);
    if (cookie !== undefined) checkCsrf(request, cookie, options.gateway.hash);
    if (actor.scope === 'agent') await checkSession(options.gateway, actor, request.params as Record<string, string>);
  });

  /** A skill identity opens three routes; it closes all others, open ones too: it is no credential for anything else. */
  async function admitIdentity(request: FastifyRequest, secret: string, scopes: unknown): Promise<void> {
    const actor = await options.gateway.skillActor(secret);
    if (!actor)
      throw fail('unauthenticated', 'This skill identity is not genuine, has expired, or its run or user is gone.');
    if (!Array.isArray(scopes) || !scopes.includes(actor.scope))
      throw fail(
        'skill_identity_not_allowed',
        `A skill identity may list, upload and overwrite skills, not ${request.method} ${request.routeOptions.url}.`,
      );
    request.actor = actor;
    options.throttle.request(actor, bodyBytes(request), options.gateway.now());
  }

  async function authenticate(
    request: FastifyRequest,
    bearer: string | undefined,
    cookie: string | undefined,
  ): Promise<Actor> {
    const secret = bearer ?? cookie;
    if (secret === undefined)
      throw fail(
        'unauthenticated',
        'Send `Authorization: Bearer <token>`. The operator token is in operator.token in the state folder.',
      );
    if (bearer?.startsWith(RUN_IDENTITY_PREFIX)) return runOf(request, bearer);
    const token = await tokenFor(secret);
    if (token?.kind !== (cookie === undefined ? 'bearer' : 'browser'))
      throw fail('unauthenticated', cookie === undefined ? UNKNOWN_TOKEN : SIGNED_OUT);
    return {
      name: token.name,
      person: personOf(token),
      kind: token.kind,
      scope: token.scope,
      tokenId: token.id,
      sessionId: token.sessionId,
      labels: token.labels,
      isBuiltIn: token.isBuiltIn,
      surface: cookie === undefined ? surfaceOf(request, token.scope) : 'web',
      expiresAt: token.expiresAt,
    };
  }

  async function runOf(request: FastifyRequest, secret: string): Promise<Actor> {
    const actor = await options.gateway.runActor(secret);
    if (!actor)
      throw fail('unauthenticated', 'The run that this token belongs to is over, or the token is not genuine.');
    return { ...actor, surface: surfaceOf(request, actor.scope) };
  }

  /** Good tokens are remembered for a few seconds; their expiry is still checked at every call. */
  async function tokenFor(secret: string): Promise<Token | undefined> {
    const { gateway } = options;
    const cached = known.get(secret);
    if (cached && cached.until > gateway.now()) return gateway.isGood(cached.token) ? cached.token : undefined;
    const token = await gateway.tokenOf(secret);
    known.delete(secret);
    if (token) known.set(secret, { token, until: gateway.now() + TOKEN_CACHE_MS });
    return token;
  }

  app.addHook('preHandler', async (request, reply) => {
    if (request.actor && isKeyed(request)) options.throttle.mayUseKey(request.actor, options.gateway.now());
    if (request.actor && isRead(request)) reply.raw.once('close', await options.throttle.read(request.actor));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A reply that is not read is held in memory.
    reply.raw.socket?.setTimeout?.(UNREAD_MS);
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (request.actor) options.throttle.charge(request.actor, bytes, options.gateway.now());
    if (request.actor && isKeyed(request)) options.throttle.storedResponse(request.actor, bytes, options.gateway.now());
    done(null, payload);
  });
  app.decorate('forgetTokens', () => known.clear());
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Clears the token cache after a token was revoked. */
    forgetTokens(): void;
  }
}

/** A request line may carry a whole URL: then its host is meant, and the header must be an allowed one as well. */
function checkHost(request: FastifyRequest, hosts: ReadonlySet<string>): void {
  const { url = '', headers, rawHeaders } = request.raw;
  // Two of them are read in different ways by different programs.
  let hostHeaders = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hostHeaders += 1;
  if (hostHeaders > 1) throw fail('host_not_allowed', 'A request has one Host header, not several.');
  if (request.routeOptions.config.anyHost && headers.host !== undefined) return;
  const meant = !url.startsWith('/') && URL.canParse(url) ? [new URL(url).host] : [];
  for (const host of [...meant, headers.host ?? '']) {
    const name = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(host)?.[1] ?? host;
    if (!hosts.has(name.toLowerCase()))
      throw fail(
        'host_not_allowed',
        `This server does not answer to the host name "${name}". Allowed: ${[...hosts].join(', ')}.`,
      );
  }
}

/** Ids and search words are looked up, and no database takes a NUL. */
function checkAddress({ url }: FastifyRequest): void {
  if (url.includes('%00')) throw fail('invalid_request', 'The address has a NUL character, which is not allowed.');
}

/** Our own: the scheme, host and port by which this caller reaches us. Browsers leave a scheme's usual port out. */
function checkOrigin(
  request: FastifyRequest,
  { origins, transport }: Pick<AuthOptions, 'origins' | 'transport'>,
): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origins.has(origin)) return;
  const own = `${isTls(request, transport) ? 'https' : 'http'}://${host}`;
  if (URL.canParse(own) && origin === new URL(own).origin) return;
  throw fail('origin_not_allowed', `Pages from "${origin}" may not call this server.`);
}

/** A body of unknown length is counted when it has arrived. */
const bodyBytes = (request: FastifyRequest): number => Number(request.headers['content-length'] ?? 0) || 0;

const isKeyed = ({ method, headers, body }: FastifyRequest): boolean =>
  method !== 'GET' && (headers['idempotency-key'] ?? Object(body).idempotency_key) !== undefined;

/** Not a stream or a poll, which wait: whatever a caller says of a route that has neither, it is a read. */
function isRead(request: FastifyRequest): boolean {
  const { isStream, mayStream } = request.routeOptions.config;
  if (request.method !== 'GET' || isStream || (mayStream && wantsStream(request))) return false;
  return !(Number(Object(request.query).wait_ms) > 0);
}

function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  if (isBasic(request)) return passwordOf(header);
  return /^bearer /i.test(header) ? header.slice(7).trim() || undefined : undefined;
}

/** The token as a password: only where the clients of another protocol can send nothing else. */
const isBasic = ({ url, headers }: FastifyRequest): boolean =>
  url.startsWith(`${DOOR}/`) && /^basic /i.test(headers.authorization ?? '');

function passwordOf(header: string): string | undefined {
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(header.slice(6), 'base64').toString()) ?? [];
  return user === DOOR_USER ? password || undefined : undefined;
}

function identityIn(request: FastifyRequest): string | undefined {
  const bearer = bearerOf(request);
  return bearer?.startsWith(SKILL_IDENTITY_PREFIX) ? bearer : undefined;
}

function surfaceOf(request: FastifyRequest, scope: Scope): Surface {
  const named = request.headers['holdpoint-surface'];
  const claimable = READERS.includes(scope) ? PERSONS_SURFACES : PROGRAMS_SURFACES;
  return typeof named === 'string' && claimable.has(named) ? (named as Surface) : 'api';
}

function checkScope(actor: Actor, scopes: readonly Scope[], request: FastifyRequest): void {
  if (scopes.includes(actor.scope)) return;
  throw fail(
    'scope_forbidden',
    `A token with scope "${actor.scope}" may not ${request.method} ${request.routeOptions.url}. It needs a token with scope ${scopes.join(' or ')}.`,
  );
}

/** An agent sees its own session and nothing else, whatever id it names. */
async function checkSession(gateway: Gateway, actor: Actor, params: Record<string, string>): Promise<void> {
  for (const [param, find] of Object.entries(OWNER)) {
    const id = params[param];
    if (id === undefined || actor.sessionId === undefined) continue;
    // An ask of its own may be a clarification, which is asked in another session.
    if (find === 'ask' && (await gateway.isAskOf(id, actor.sessionId))) continue;
    const sessionId = param === 'session_id' ? id : await gateway.sessionOf[find](id);
    if (sessionId !== actor.sessionId)
      throw fail('session_forbidden', `This token belongs to session ${actor.sessionId}; it cannot see others.`);
  }
}

const OWNER = { session_id: 'session', run_id: 'run', ask_id: 'ask', thread_id: 'thread' } as const;
