// The shape every route file has: a function that adds its routes to the app, given what they work with.
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Transport } from '../browser.ts';
import type { Throttle } from '../limits.ts';
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
  gateway: Gateway;
  throttle: Throttle;
  streams: Streams;
  workers: WorkerPresence;
  transport: Transport;
}

export type AddRoutes = (app: App, context: Context) => void;

export const RunParams = z.object({ run_id: z.string() });
export const SessionParams = z.object({ session_id: z.string() });
export const AskParams = z.object({ ask_id: z.string() });

const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    domain: z.string(),
    code: z.string(),
    winner: z
      .object({
        answered_by: z.string(),
        surface: z.string(),
        answered_at_ms: z.int(),
        outcome: z.string(),
        behavior: z.enum(['allow', 'deny']).optional(),
        reason: z.string().optional(),
        justification: z.string().optional(),
      })
      .optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .describe('RFC 9457 problem document');

const refusal = {
  description: 'Refused, with a problem document that says why and what would have been accepted',
  content: { 'application/problem+json': { schema: Problem } },
} as const;

interface TypedReply {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/** The documented responses of a route: its own, and the problem document for everything else. */
export const replies = <T extends Record<number, z.ZodType | TypedReply>>(own: T) => ({
  ...own,
  '4xx': refusal,
  '5xx': refusal,
});

export const about = (tag: string, summary: string, description?: string): FastifySchema => ({
  tags: [tag],
  summary,
  ...(description !== undefined && { description }),
});
