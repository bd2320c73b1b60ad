// Threads: the chat view of a session as pages or live, and posts by people.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PostItem } from '../../core/bodies.ts';
import { fail } from '../../core/errors.ts';
import type { Event } from '../../core/event.ts';
import { ItemView } from '../../core/views.ts';
import { type ItemAtCursor, itemsAfter, THREAD_START, type ThreadCursor } from '../../gateway/thread-items.ts';
import { ANSWERERS, EVERY_READER } from '../auth.ts';
import { keyOf, limitOf, linkNext, PageQuery } from '../request.ts';
import { wantsStream } from '../sse.ts';
import { type AddRoutes, about, replies } from './route.ts';

const ThreadParams = z.object({ thread_id: z.string() });

export const addThreads: AddRoutes = (app, { gateway, throttle, streams }) => {
  app.get(
    '/v1/threads/:thread_id/items',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about(
          'threads',
          'The chat view of a session, oldest first',
          'With `Accept: text/event-stream` live: an event for each item, one named `update` when the block of a form has ended, resumed by Last-Event-ID or `cursor`. A page names in `Holdpoint-Cursor` where to go on from.',
        ),
        params: ThreadParams,
        querystring: PageQuery,
        response: replies({
          200: {
            description: 'A page, or the stream',
            content: {
              'application/json': { schema: z.array(ItemView) },
              'text/event-stream': { schema: z.string() },
            },
          },
        }),
      },
    },
    async (request, reply) => {
      const { thread_id } = request.params;
      const { cursor, limit } = request.query;
      if (wantsStream(request)) return stream(request, reply, thread_id, cursor) as never;
      const from = cursor === undefined ? THREAD_START : placeOf(cursor);
      const page = await gateway.listItems(thread_id, from, limitOf(limit));
      const end = textOf(page.end);
      if (page.hasMore) linkNext(request, reply, 'cursor', end);
      return reply.header('holdpoint-cursor', end).send(page.items.map((item) => item.view)) as never;
    },
  );

  app.post(
    '/v1/threads/:thread_id/items',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about(
          'threads',
          'Post to a thread',
          'Answers what the thread asks: by its text, or by `metadata.prompt {prompt_id, answers}`. Input for the next run where nothing is asked.',
        ),
        params: ThreadParams,
        body: PostItem,
        response: replies({ 201: ItemView }),
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const { surface } = request.actor;
      const actor = { ...request.actor, surface: surface === 'api' ? ('thread' as const) : surface };
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.postToThread({ threadId: params.thread_id, body, actor, key });
      return reply.code(201).send(view);
    },
  );

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    threadId: string,
    cursor: string | undefined,
  ): Promise<FastifyReply> {
    const session = await gateway.threadOf(threadId);
    const seen = String(request.headers['last-event-id'] ?? '') || cursor;
    const from = seen === undefined ? THREAD_START : placeOf(seen);
    const take = itemsAfter(session.agentId, from);
    const close = throttle.open(request.actor);
    const framesOf = (event: Event) => take(event).map(frameOf).join('');
    const begin = { filter: { sessionId: session.id }, after: from.quiet, framesOf, cursor: textOf(from) };
    streams.open(gateway, request, reply, begin, close);
    return reply;
  }
};

/** What was said before and reads differently now is an event of another name: who listens for items only is not told twice. */
const frameOf = ({ view, place, isUpdate }: ItemAtCursor): string =>
  `id: ${textOf(place)}\n${isUpdate ? 'event: update\n' : ''}data: ${JSON.stringify(view)}\n\n`;

const textOf = ({ quiet, seq, n }: ThreadCursor): string => `${quiet}.${seq}.${n}`;

function placeOf(cursor: string): ThreadCursor {
  const [, quiet, seq, n] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  const place = { quiet: Number(quiet), seq: Number(seq), n: Number(n) };
  if (n === undefined || place.quiet > place.seq)
    throw fail('invalid_cursor', 'Use a cursor or an event id that this thread gave out, or leave it out.');
  return place;
}
