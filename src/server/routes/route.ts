// Declares routes: method and path, scopes, schemas and handler in one object. `routesOn` turns a declaration into a
// Fastify route and passes the same object to the OpenAPI document (openapi.ts), so nothing is documented a second time.
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteShorthandOptions,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Hash } from '../../core/digest.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Actor } from '../../core/token.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Key, Reply as Mutated } from '../../gateway/mutate.ts';
import type { Notices } from '../../notices/notices.ts';
import type { Transport } from '../browser.ts';
import type { Throttle } from '../limits.ts';
import { keyOf, leaseOf } from '../request.ts';
import type { Streams } from '../sse.ts';
import type { WorkerPresence } from '../worker-presence.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export interface Context {
  app: App;
  route: AddRoute;
  gateway: Gateway;
  notices: Notices;
  throttle: Throttle;
  streams: Streams;
  workers: WorkerPresence;
  transport: Transport;
}

export type AddRoutes = (context: Context) => void;

/** A reply with a media type of its own. */
export interface TypedReply {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/** Everything that guards, validates and documents a route. */
export interface Declaration<Query = z.ZodType, Body = z.ZodType, Reply = z.ZodType | TypedReply> {
  /** The operationId: what generated clients call the method. */
  name: string;
  summary: string;
  description?: string;
  scopes: FastifyContextConfig['scopes'];
  /** Answers under any Host: it shows nothing, or only to a token. */
  anyHost?: boolean;
  query?: Query;
  body?: Body;
  /** The fields of a multipart body, which the handler reads itself. */
  form?: z.ZodType;
  /** Bodies that the server accepts: test/server/openapi/examples.test.ts sends each. Required where an empty body is refused. */
  examples?: Body extends z.ZodType ? Record<string, z.input<Body>> : never;
  /** Takes an idempotency key by header. Bodies with the field `idempotency_key` do anyway. */
  isKeyed?: boolean;
  /** Request headers that it reads beyond the key. */
  reads?: readonly RequestHeader[];
  /** Response headers that it sends beyond those of pages. */
  sends?: readonly ('Holdpoint-Searched-To' | 'ETag')[];
  /** Codes of refusals that only a look at the record can tell; openapi.ts adds those of its scopes, ids and body. */
  refuses?: readonly ErrorCode[];
  /** The body of a success. */
  reply: Reply;
  /** The status of a success; 200 unless said otherwise. */
  status?: number;
  /** The status is 201 when the mutation created something, and 200 when that was there already. */
  creates?: boolean;
  /** Further successes without a body, which `handle` chooses, and what they mean. */
  emptyReplies?: Record<number, string>;
  options?: Pick<RouteShorthandOptions, 'bodyLimit' | 'onRequest' | 'preValidation'>;
}

export type RequestHeader = 'Holdpoint-Lease' | 'Last-Event-ID' | 'If-None-Match';

/** A route as the OpenAPI document describes it. */
export interface Operation extends Declaration {
  tag: string;
  method: string;
  url: string;
}

/** A route calls a mutation of the gateway and replies with its view (`change`), or makes its reply itself (`handle`). */
type Handler<C, Reply> =
  | { change(call: C): Promise<Mutated<z.output<Reply>>>; handle?: never }
  | { handle(call: C): ReplyOf<Reply> | Promise<ReplyOf<Reply>>; change?: never };

/** A request as handlers read it. `key` and `sender` are checked when they are read. */
interface Call<Params, Query, Body> {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Actor;
  params: Params;
  query: Query;
  body: Body;
  key: Key | undefined;
  /** The agent's side of a run: who calls, with which idempotency key and under which lease. */
  sender: { actor: Actor; key: Key | undefined; leaseEpoch: number | undefined };
}

/** `/v1/runs/:run_id` → `{ run_id: string }` */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown;

type ReplyOf<Reply> = Reply extends z.ZodType ? z.output<Reply> | FastifyReply : FastifyReply;

/** `tag` is the group of the OpenAPI document; `operation` a method and a path, whose ids are the parameters. */
export type AddRoute = <
  Path extends string,
  Reply extends z.ZodType | TypedReply,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(
  tag: string,
  operation: `${HTTPMethods} ${Path}`,
  route: Declaration<Query, Body, Reply> &
    Handler<Call<ParamsOf<Path>, z.output<Query>, z.output<Body>>, NoInfer<Reply>>,
) => void;

export const routesOn =
  (app: App, hash: Hash): AddRoute =>
  (tag, operation, route) => {
    const [method = '', url = ''] = operation.split(' ');
    const { scopes, anyHost = false, status = 200, creates, options, query, body, reply: replies } = route;
    const mayStream = 'content' in replies && STREAM in replies.content;
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.code(status);
      const call = callOf(request, reply, hash) as never;
      if (route.handle) return route.handle(call);
      const { created, view } = await route.change(call);
      if (created && creates) reply.code(201);
      return view;
    };
    app.route({
      method,
      url,
      ...options,
      config: { scopes, anyHost, mayStream, described: { ...route, tag, method, url } },
      schema: { ...(query && { querystring: query }), ...(body && { body }) },
      handler,
    } as never);
  };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the OpenAPI document says about the route; absent: it is not part of the API. */
    described?: Operation;
  }
}

function callOf(request: FastifyRequest, reply: FastifyReply, hash: Hash): Call<unknown, unknown, unknown> {
  const { actor, params, query, body } = request;
  return {
    request,
    reply,
    actor,
    params,
    query,
    body,
    get key() {
      return keyOf(request, hash);
    },
    get sender() {
      return { actor, key: keyOf(request, hash), leaseEpoch: leaseOf(request) };
    },
  };
}

const STREAM = 'text/event-stream';

/** A list as a JSON page; live, on the same path, as an event stream. */
export const pageOrStream = (page: z.ZodType): TypedReply => ({
  description: 'A page, or the stream',
  content: { 'application/json': { schema: page }, [STREAM]: { schema: z.string() } },
});
