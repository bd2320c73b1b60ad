// Reads from a request what routes need beside its body (page, idempotency key, lease, a signal that the caller has
// disconnected), and replies with lists.
import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Hash } from '../core/digest.ts';
import { fail, HoldpointError } from '../core/errors.ts';
import { checkKey, fingerprint, keyScope } from '../core/idempotency.ts';
import type { Page } from '../core/ports.ts';
import type { Found } from '../gateway/history.ts';
import type { Listed } from '../gateway/inbox.ts';
import type { Key } from '../gateway/mutate.ts';

/** A number in a query: digits on the wire, an integer in the OpenAPI document. */
export const digits = (description: string, range: { minimum?: number; maximum?: number } = {}) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
    .meta({ type: 'integer', minimum: 0, ...range, pattern: undefined, description })
    .optional();

export const PageQuery = z.strictObject({
  limit: digits('1 to 500; 100 by default', { minimum: 1, maximum: 500 }),
  cursor: z.string().max(100).optional().describe('From the Link header of the page before'),
});
export const WaitQuery = z.strictObject({ wait_ms: digits('Milliseconds, up to 60000') });
export const AskWaitQuery = WaitQuery.extend({
  comments_read: digits('The wait also ends when people have written more comments than this'),
});
export const SpanQuery = z.strictObject({
  from: digits('Epoch milliseconds; by default 30 days before `to`'),
  to: digits('Epoch milliseconds; now by default'),
});
export const SettleQuery = z.strictObject({ settle_ms: digits('Milliseconds, up to 60000') });

export const MAX_WAIT_MS = 60_000;

export const waitOf = (text: string | undefined): number => Math.min(MAX_WAIT_MS, Number(text ?? 0));

export const countOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.min(Number(text), Number.MAX_SAFE_INTEGER);

export function pageOf(query: { limit?: string | undefined; cursor?: string | undefined }, way?: Way): Page {
  const after = query.cursor === undefined ? undefined : fromCursor(query.cursor, way);
  return { limit: limitOf(query.limit), after };
}

export function limitOf(text: string | undefined): number {
  const limit = Number(text ?? 100);
  if (limit < 1 || limit > 500) throw fail('invalid_request', `query.limit: must be from 1 to 500, not ${text}.`);
  return limit;
}

/** Of lists that go back in time. */
export function pageBefore(query: { limit?: string | undefined; cursor?: string | undefined }) {
  const before = query.cursor === undefined ? undefined : fromCursor(query.cursor, 'b');
  return { limit: limitOf(query.limit), before };
}

/** `p`: goes on after the position, `b`: before it. */
type Way = 'p' | 'b';
const toCursor = (position: number, way: Way = 'p'): string => Buffer.from(`${way}${position}`).toString('base64url');

function fromCursor(cursor: string, way: Way = 'p'): number {
  const found = /^[pb](\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!found || toCursor(Number(found[1]), way) !== cursor)
    throw fail('invalid_cursor', 'Use the cursor from the Link header of the page before, or leave it out.');
  return Number(found[1]);
}

export const OrderQuery = PageQuery.extend({
  order: z.enum(['oldest', 'newest']).optional().describe('Which end of the list comes first; oldest by default'),
});

/** The page of a list that can go back in time, and which way it goes. */
export function orderedPageOf(query: z.infer<typeof OrderQuery>): { page: Page; way: Way; newestFirst: boolean } {
  const newestFirst = query.order === 'newest';
  const way = newestFirst ? 'b' : 'p';
  return { page: pageOf(query, way), way, newestFirst };
}

/** A bare array; the next page is in the Link header, the log position it is true for in Holdpoint-Cursor. */
export function sendList<T>(request: FastifyRequest, reply: FastifyReply, listed: Listed<T>, way?: Way): FastifyReply {
  reply.header('holdpoint-cursor', String(listed.cursor));
  if (listed.next !== undefined) linkNext(request, reply, 'cursor', toCursor(listed.next, way));
  return reply.send(listed.views);
}

/** Links the next page of a list that is part of an object. */
export function linkPage(request: FastifyRequest, reply: FastifyReply, next: number | undefined): void {
  if (next !== undefined) linkNext(request, reply, 'cursor', toCursor(next));
}

/** As a list; how far back a search came is in Holdpoint-Searched-To. */
export function sendFound(request: FastifyRequest, reply: FastifyReply, found: Found): FastifyReply {
  reply.header('holdpoint-cursor', String(found.cursor));
  if (found.searchedBackTo !== undefined) reply.header('holdpoint-searched-to', String(found.searchedBackTo));
  if (found.next !== undefined) linkNext(request, reply, 'cursor', toCursor(found.next, 'b'));
  return reply.send(found.views);
}

export function linkNext(request: FastifyRequest, reply: FastifyReply, name: string, value: string): void {
  const url = new URL(request.url, 'http://localhost');
  url.searchParams.set(name, value);
  reply.header('link', `<${url.pathname}${url.search}>; rel="next"`);
}

/** The key of header or body, bound to the route, the ids in its path and the rest of the body. */
export function keyOf(request: FastifyRequest, hash: Hash): Key | undefined {
  const sent = (request.body ?? {}) as Record<string, unknown>;
  const inHeader = textOf(request.headers['idempotency-key']);
  if (inHeader === undefined && sent.idempotency_key === undefined) return undefined;
  const { idempotency_key: inBody, ...body } = sent;
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
    throw fail(
      'invalid_idempotency_key',
      'The Idempotency-Key header and idempotency_key in the body differ. Send one.',
    );
  const key = String(inHeader ?? inBody);
  const refusal = checkKey(key, Buffer.byteLength(key));
  if (refusal) throw new HoldpointError(refusal);
  const operation = `${request.method} ${request.routeOptions.url}`;
  const ids = Object.values(request.params as Record<string, string>);
  return { scope: keyScope(operation, ids, key, hash), fingerprint: fingerprint(operation, ids, body, hash) };
}

/** Node reads headers byte by byte; what a client wrote as UTF-8 is that text again. */
function textOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bytes = Buffer.from(String(header), 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : String(header);
}

/** The fencing number a worker works under, from `Holdpoint-Lease`. */
export function leaseOf(request: FastifyRequest): number | undefined {
  const header = request.headers['holdpoint-lease'];
  if (header === undefined) return undefined;
  const epoch = Number(header);
  if (!Number.isSafeInteger(epoch) || epoch < 1)
    throw fail('invalid_request', 'Holdpoint-Lease is a positive whole number.');
  return epoch;
}

/** Aborts when the caller disconnects, so that its wait ends. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
