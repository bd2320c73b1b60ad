// Declares routes: method and path, scopes, schemas and handler in one object. `routesOn` turns a declaration into a
// Fastify route; `schemaOf` describes the same object in the OpenAPI document, so nothing is documented a second time.
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
import type { Actor } from '../../core/token.ts';
import { WinnerView } from '../../core/winner.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Key, Reply as Mutated } from '../../gateway/mutate.ts';
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
  throttle: Throttle;
  streams: Streams;
  workers: WorkerPresence;
  transport: Transport;
}

export type AddRoutes = (context: Context) => void;

/** A reply with a media type of its own. */
interface TypedReply {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/** Everything that guards, validates and documents a route. `schemaOf` writes it into the OpenAPI document. */
interface Declaration<Query, Body, Reply> {
  summary: string;
  description?: string;
  scopes: FastifyContextConfig['scopes'];
  /** Answers under any Host: it shows nothing, or only to a token. */
  anyHost?: boolean;
  /** Media types of a body that is no JSON. */
  consumes?: string[];
  query?: Query;
  body?: Body;
  /** The body of a success. */
  reply: Reply;
  /** The status of a success; 200 unless said otherwise. */
  status?: number;
  /** The status is 201 when the mutation created something, and 200 when that was there already. */
  creates?: boolean;
  /** Further successes, which `handle` chooses. */
  otherReplies?: Record<number, z.ZodType>;
  options?: Pick<RouteShorthandOptions, 'bodyLimit' | 'onRequest' | 'preValidation'>;
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
    const { scopes, anyHost = false, status = 200, creates, options } = route;
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
      config: { scopes, anyHost },
      schema: schemaOf(tag, url, route),
      handler,
    } as never);
  };

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

/** What validates a request, and what the OpenAPI document says about the operation. */
function schemaOf(tag: string, url: string, route: Declaration<z.ZodType, z.ZodType, unknown>) {
  const { summary, description, consumes, query, body, reply, status = 200, creates, otherReplies } = route;
  const ids = [...url.matchAll(/:(\w+)/g)].map(([, name]) => [name, z.string()]);
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(consumes && { consumes }),
    ...(ids.length > 0 && { params: z.object(Object.fromEntries(ids)) }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { [status]: reply, ...(creates && { 201: reply }), ...otherReplies, '4xx': REFUSAL, '5xx': REFUSAL },
  };
}

/** A list as a JSON page; live, on the same path, as an event stream. */
export const pageOrStream = (page: z.ZodType): TypedReply => ({
  description: 'A page, or the stream',
  content: { 'application/json': { schema: page }, 'text/event-stream': { schema: z.string() } },
});

const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    domain: z.string(),
    code: z.string(),
    winner: WinnerView.optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .describe('RFC 9457 problem document');

const REFUSAL = {
  description: 'Refused, with a problem document that says why and what would have been accepted',
  content: { 'application/problem+json': { schema: Problem } },
} as const;
