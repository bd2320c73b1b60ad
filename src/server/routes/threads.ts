// Serves the chat view of a session, as pages or live, and takes posts by people.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PostItem } from '../../core/bodies.ts';
import { fail } from '../../core/errors.ts';
import type { Event } from '../../core/event.ts';
import { ItemView } from '../../core/views.ts';
import { type ItemAtCursor, itemsAfter, THREAD_START, type ThreadCursor } from '../../gateway/thread-items.ts';
import { ANSWERERS, EVERY_READER } from '../auth.ts';
import { limitOf, linkNext, PageQuery } from '../request.ts';
import { wantsStream } from '../sse.ts';
import { MESSAGE_CODES } from './refusal-codes.ts';
import { type AddRoutes, pageOrStream } from './route.ts';

export const addThreads: AddRoutes = ({ route, gateway, throttle, streams }) => {
  route('threads', 'GET /v1/threads/:thread_id/items', {
    name: 'listThreadItems',
    summary: 'The chat view of a session, oldest first',
    description:
      'With `Accept: text/event-stream` live: an event for each item, one named `update` when the block of a form has ended, resumed by Last-Event-ID or `cursor`. A page names in `Holdpoint-Cursor` where to go on from.',
    scopes: EVERY_READER,
    query: PageQuery,
    reads: ['Last-Event-ID'],
    refuses: ['too_many_streams'],
    reply: pageOrStream(z.array(ItemView)),
    async handle({ request, reply, params: { thread_id }, query: { cursor, limit } }) {
      if (wantsStream(request)) return stream(request, reply, thread_id, cursor);
      const from = cursor === undefined ? THREAD_START : placeOf(cursor);
      const page = await gateway.listItems(thread_id, from, limitOf(limit));
      const end = textOf(page.end);
      if (page.hasMore) linkNext(request, reply, 'cursor', end);
      return reply.header('holdpoint-cursor', end).send(page.items.map((item) => item.view));
    },
  });

  route('threads', 'POST /v1/threads/:thread_id/items', {
    name: 'postThreadItem',
    summary: 'Post to a thread',
    description:
      'Answers what the thread asks: by its text, or by `metadata.prompt {prompt_id, answers}`. Input for the next run where nothing is asked.',
    scopes: ANSWERERS,
    body: PostItem,
    examples: { text: { content: [{ type: 'text', text: 'Staging' }] } },
    refuses: MESSAGE_CODES,
    reply: ItemView,
    status: 201,
    change({ actor: caller, params, body, key }) {
      const actor = { ...caller, surface: caller.surface === 'api' ? ('thread' as const) : caller.surface };
      return gateway.postToThread({ threadId: params.thread_id, body, actor, key });
    },
  });

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    threadId: string,
    cursor: string | undefined,
  ): Promise<FastifyReply> {
    const session = await gateway.threadOf(threadId);
    const seen = String(request.headers['last-event-id'] ?? '') || cursor;
    const from = seen === undefined ? THREAD_START : placeOf(seen);
    const take = itemsAfter(session, from);
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
