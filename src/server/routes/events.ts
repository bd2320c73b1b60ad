// Serves the event log: JSON pages, or a live stream on the same path.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EVENT_TYPES, type Event, isOnlyLooking } from '../../core/event.ts';
import type { EventFilter } from '../../core/ports.ts';
import type { Actor } from '../../core/token.ts';
import { EventView } from '../../core/views.ts';
import { storedEventJson } from '../../gateway/views.ts';
import { EVERY_READER } from '../auth.ts';
import { digits, limitOf, linkNext } from '../request.ts';
import { cursorOf, wantsStream } from '../sse.ts';
import { ownSession } from './own-session.ts';
import { type AddRoutes, pageOrStream } from './route.ts';

const EventQuery = z.strictObject({
  after: digits('Only events with a larger seq'),
  limit: digits('1 to 500; 100 by default; pages only', { minimum: 1, maximum: 500 }),
  types: z
    .string()
    .refine((text) => text.split(',').every((type) => EVENT_TYPES.includes(type as Event['type'])), {
      message: 'names an event type that does not exist; separate types by commas',
    })
    .optional()
    .meta({
      description: 'Only events of these types, separated by commas, such as `ask.claimed`. A page may be short.',
    }),
  drafts: z.enum(['true', 'false']).optional().meta({
    type: 'boolean',
    enum: undefined,
    description: 'Streams of operators only: `draft` when you typed on another device',
  }),
  snapshot: z.enum(['true', 'false']).optional().meta({
    type: 'boolean',
    enum: undefined,
    description: 'Streams only: begin with the pending asks at the cursor',
  }),
});

/** An agent that knows when a person looks could exchange what they are about to allow. */
const isForAgent = ({ scope }: Actor): boolean => scope === 'agent';
const isShownToAgents = ({ type }: Event): boolean => !isOnlyLooking(type);

/** Undefined: all. */
function shownTo(actor: Actor, types: string | undefined): ((event: Event) => boolean) | undefined {
  const wanted = types === undefined ? undefined : new Set(types.split(','));
  if (!wanted) return isForAgent(actor) ? isShownToAgents : undefined;
  return (event) => wanted.has(event.type) && (!isForAgent(actor) || isShownToAgents(event));
}

const STREAMABLE = 'With `Accept: text/event-stream` a live stream: id = seq, resumed by Last-Event-ID or `after`.';
const SNAPSHOT_LIMIT = 500;

export const addEvents: AddRoutes = ({ route, gateway, throttle, streams }) => {
  const declared = {
    reads: ['Last-Event-ID'] as const,
    scopes: EVERY_READER,
    query: EventQuery,
    reply: pageOrStream(z.array(EventView)),
  };

  route('events', 'GET /v1/events', {
    name: 'listEvents',
    ...declared,
    summary: 'Events of all sessions',
    description: `${STREAMABLE} A stream without a cursor begins now.`,
    handle: ({ request, reply, actor, query }) =>
      answer(request, reply, query, { sessionId: ownSession(actor, undefined) }),
  });

  route('events', 'GET /v1/sessions/:session_id/events', {
    name: 'listSessionEvents',
    ...declared,
    summary: 'Events of one session',
    description: STREAMABLE,
    async handle({ request, reply, params, query }) {
      const sessionId = await gateway.sessionOf.session(params.session_id);
      return answer(request, reply, query, { sessionId }, 0);
    },
  });

  route('events', 'GET /v1/runs/:run_id/events', {
    name: 'listRunEvents',
    ...declared,
    summary: 'Events of one run',
    description: STREAMABLE,
    async handle({ request, reply, params, query }) {
      await gateway.sessionOf.run(params.run_id);
      return answer(request, reply, query, { runId: params.run_id }, 0);
    },
  });

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.infer<typeof EventQuery>,
    filter: EventFilter,
    begin?: number,
  ): Promise<FastifyReply> {
    const after = query.after === undefined ? undefined : Number(query.after);
    if (wantsStream(request)) return stream(request, reply, query, filter, after ?? begin);
    const limit = limitOf(query.limit);
    const { events, hasMore } = await gateway.events(filter, after ?? 0, limit);
    const last = events.at(-1);
    if (last && hasMore) linkNext(request, reply, 'after', String(last.seq));
    const isShown = shownTo(request.actor, query.types);
    const shown = isShown ? events.filter(isShown) : events;
    return reply.type('application/json').send(`[${shown.map(storedEventJson).join(',')}]`);
  }

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.infer<typeof EventQuery>,
    filter: EventFilter,
    after: number | undefined,
  ): Promise<FastifyReply> {
    const close = throttle.open(request.actor);
    try {
      const first = query.snapshot === 'true' ? await snapshotOf(filter, request.actor) : undefined;
      const cursor = first?.cursor ?? cursorOf(request, after) ?? (await gateway.lastSeq());
      const wantsDrafts = query.drafts === 'true' && request.actor.scope === 'operator';
      const isShown = shownTo(request.actor, query.types);
      const begin = { filter, after: cursor, first: first?.frame, wantsDrafts, isShown };
      streams.open(gateway, request, reply, begin, close);
    } catch (error) {
      close();
      throw error;
    }
    return reply;
  }

  /** The pending asks and the log position they are true for, in one read: nothing can fall between. */
  async function snapshotOf(filter: EventFilter, actor: Actor): Promise<{ cursor: number; frame: string }> {
    const asked = { status: 'pending' as const, ...filter };
    const { views, next, cursor } = await gateway.listAsks(asked, { limit: SNAPSHOT_LIMIT }, actor);
    const data = JSON.stringify({ cursor, asks: views, more: next !== undefined });
    return { cursor, frame: `event: snapshot\nid: ${cursor}\ndata: ${data}\n\n` };
  }
};
