// Builds the HTTP transport: a Fastify app around a gateway. Every error leaves as a problem document; every route
// declares its scopes; nothing here knows where data is stored.
import Fastify, { type FastifyServerOptions, LogController } from 'fastify';
import {
  hasZodFastifySchemaValidationErrors,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { type Refusal, refuse } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';
import type { Limits } from '../core/limits.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Notices } from '../notices/notices.ts';
import { guard } from './auth.ts';
import { acceptJsonOnly } from './body.ts';
import { isPublicTls } from './browser.ts';
import { drain, freshConnections } from './drain.ts';
import { Throttle } from './limits.ts';
import { refuseExpectations, refuseMalformed } from './malformed-request.ts';
import { createMetrics, type MetricsOptions } from './metrics.ts';
import { withoutNulls } from './null-fields.ts';
import { describeApi, showApi } from './openapi.ts';
import { addOpencode } from './opencode/routes.ts';
import { isLostVisitor, servePage } from './page.ts';
import { INTERNAL, refusalOf, sendProblem } from './problem.ts';
import { logRequest, mayWait, requestIds } from './request-log.ts';
import { addActivity } from './routes/activity.ts';
import { addApprovals } from './routes/approvals.ts';
import { addAsks } from './routes/asks.ts';
import { addAuditKeys } from './routes/audit-keys.ts';
import { addDrafts } from './routes/drafts.ts';
import { addEvents } from './routes/events.ts';
import { addGrants } from './routes/grants.ts';
import { addHooks, type HookHandlers } from './routes/hooks.ts';
import { addInsights } from './routes/insights.ts';
import { addMailbox } from './routes/mailbox.ts';
import { addMcp, type McpHandler } from './routes/mcp.ts';
import { addNotices } from './routes/notices.ts';
import { addPendingAsks } from './routes/pending-asks.ts';
import { addQuestions } from './routes/questions.ts';
import { type App, routesOn } from './routes/route.ts';
import { addRules } from './routes/rules.ts';
import { addRuns } from './routes/runs.ts';
import { addSessions } from './routes/sessions.ts';
import { addSignIn } from './routes/sign-in.ts';
import { addSkills } from './routes/skills.ts';
import { addSystem } from './routes/system.ts';
import { addThreads } from './routes/threads.ts';
import { addTokens } from './routes/tokens.ts';
import { addWebhooks } from './routes/webhooks.ts';
import { addWorkers } from './routes/workers.ts';
import { Streams } from './sse.ts';
import type { Tracing } from './tracing.ts';
import { type KnownAgent, WorkerPresence } from './worker-presence.ts';

export interface AppOptions {
  gateway: Gateway;
  notices: Notices;
  limits: Limits;
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
  version: string;
  logger: FastifyServerOptions['loggerInstance'];
  https?: { cert: string; key: string } | undefined;
  /** A proxy that we trust does TLS in front of us. */
  behindProxy?: boolean | undefined;
  /** The folder of the built page. */
  page?: string | undefined;
  mcp?: McpHandler | undefined;
  /** The agents that this build can describe to clients. */
  agents?: readonly KnownAgent[] | undefined;
  hooks?: HookHandlers | undefined;
  pool?: MetricsOptions['pool'];
  /** Where an OpenTelemetry SDK is registered. */
  tracing?: Tracing | undefined;
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** In the order of the OpenAPI document. */
const ROUTES = [
  addSessions,
  addRuns,
  addAsks,
  addActivity,
  addPendingAsks,
  addQuestions,
  addApprovals,
  addEvents,
  addMailbox,
  addThreads,
  addWorkers,
  addTokens,
  addAuditKeys,
  addGrants,
  addRules,
  addNotices,
  addWebhooks,
  addSignIn,
  addDrafts,
  addInsights,
  addSkills,
];

const MAX_ID_LENGTH = 512;
/** How long a request may take to arrive; what it then waits for is another matter. */
const ARRIVAL_MS = 60_000;

export async function createApp(options: AppOptions): Promise<App> {
  const { gateway, notices, limits } = options;
  const app = Fastify({
    ...(options.logger && { loggerInstance: options.logger }),
    // A request without a Host is refused by our own guard, with a problem document.
    ...(options.https
      ? { https: { ...options.https, requireHostHeader: false } }
      : { http: { requireHostHeader: false } }),
    // The address that the proxy saw; what a client says before it proves nothing.
    trustProxy: options.behindProxy ? (_address, hop) => hop < 1 : false,
    requestTimeout: ARRIVAL_MS,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: what is logged about a request names its method and path.
    childLoggerFactory: (logger) => logger,
    requestIdHeader: false,
    genReqId: requestIds(),
    exposeHeadRoutes: false,
    bodyLimit: limits.bodyBytes || Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: MAX_ID_LENGTH },
    return503OnClosing: false,
    clientErrorHandler: refuseMalformed,
    frameworkErrors: (error, _request, reply) => sendProblem(reply, refuse('invalid_request', unroutable(error.code))),
  }).withTypeProvider<ZodTypeProvider>() as unknown as App;
  refuseExpectations(app);
  const fresh = freshConnections(app);
  const streams = new Streams();
  const throttle = new Throttle(limits);
  const metrics = await createMetrics({
    gateway,
    notices,
    version: options.version,
    openStreams: () => throttle.openStreams,
    pool: options.pool,
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(app as never, ({ actor, headers }, bytes) => {
    if (actor && headers['content-length'] === undefined) throttle.charge(actor, bytes, gateway.now());
  });
  // These three run for every request and wait for nothing: with a callback they cost no promise.
  const transport = { https: options.https !== undefined, behindProxy: options.behindProxy ?? false };
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    reply.header('x-request-id', request.id);
    if (isPublicTls(request, transport)) reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
  const stopTracing = await options.tracing?.follow(app, gateway);
  guard(app as never, { ...options, throttle, transport });
  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body;
    if (schema && request.body === undefined) request.body = {};
    else if (schema && request.mayHaveNulls) request.body = withoutNulls(schema, request.body);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.countRequest(request.method, route, reply.statusCode);
    if (!mayWait(request)) metrics.timeRequest(request.method, route, reply.elapsedTime);
    logRequest(request, reply);
    done();
  });
  app.addHook('preClose', async () => {
    metrics.stop();
    stopTracing?.();
    drain(app, gateway, streams, fresh);
    await options.mcp?.close();
  });
  app.setNotFoundHandler((request, reply) => {
    if (isLostVisitor(request)) return reply.code(404).sendPage();
    const path = request.url.split('?')[0];
    return sendProblem(reply, refuse('route_not_found', `There is no ${request.method} ${path}. See /docs.`));
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal =
      schemaRefusal(error) ?? refusalOf(error, request.routeOptions.config?.bodyBytes ?? limits.bodyBytes);
    if (refusal?.code === 'unauthenticated' && isLostVisitor(request)) return reply.code(404).sendPage();
    if (!refusal)
      request.log.error(
        { err: error, method: request.method, url: request.url, request_id: request.id },
        'request failed',
      );
    return sendProblem(reply, refusal ?? INTERNAL);
  });

  const document = describeApi(app, options.version);
  const workers = new WorkerPresence(options.agents ?? []);
  const context = { app, route: routesOn(app, gateway.hash), gateway, notices, throttle, streams, transport, workers };
  for (const add of ROUTES) app.after(() => add(context));
  app.after(() => {
    if (options.mcp) addMcp(context, options.mcp);
    addHooks(context, options.hooks ?? {});
    addOpencode(context, options.version);
    addSystem(context, metrics);
  });
  await showApi(app, document);
  await servePage(app, options.page);
  return app;
}

/** Names each field that is wrong, and every field that does not exist. */
function schemaRefusal(error: unknown): Refusal | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const errors = error.validation.slice(0, 20).map((issue) => ({
    path: issue.instancePath.slice(1).replaceAll('/', '.'),
    message: issueText({ code: issue.keyword, message: issue.message ?? 'is not valid', ...issue.params }),
  }));
  const where = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body');
  const detail = errors.map((e) => `${where}${e.path ? `.${e.path}` : ''}: ${e.message}`).join('; ');
  return { code: 'invalid_request', detail, more: { errors } };
}

/** An address no route can be looked up for: answered before anything is known about the caller. */
const unroutable = (code: string): string =>
  code === 'FST_ERR_MAX_PARAM_LENGTH'
    ? `An id in a path has at most ${MAX_ID_LENGTH} characters.`
    : 'The path is not a valid URL: check its percent signs.';
