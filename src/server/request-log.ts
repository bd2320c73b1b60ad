// Names every request by an id, which its reply carries as X-Request-Id, and logs each finished request at level `info`:
// method, path, status, duration, id and caller. Queries are left out, since they may hold words of a search. Below that
// level it costs the id and nothing else.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsStream } from './sse.ts';

const USABLE = /^[\w.:-]{1,128}$/;

/** Ids that differ between servers and starts; the one that a proxy or client sent is kept if it is usable. */
export function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }) => {
    const sent = headers['x-request-id'];
    if (typeof sent === 'string' && USABLE.test(sent)) return sent;
    count += 1;
    return `${start}.${count.toString(36)}`;
  };
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  if (request.log.level === 'silent' || !request.log.isLevelEnabled?.('info')) return;
  const { id, method, url, actor } = request;
  request.log.info(
    {
      request_id: id,
      method,
      path: url.split('?')[0],
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
      ...(actor && { caller: actor.name, token_id: actor.tokenId }),
    },
    'request',
  );
}

/** Streams, long polls and the doors that wait for people: their duration says nothing about the server. */
export const mayWait = (request: FastifyRequest): boolean =>
  request.routeOptions.config.isStream === true ||
  WAITING_ROUTES.test(request.url) ||
  (request.method === 'GET' && wantsStream(request));

const WAITING_ROUTES = /[?&](?:wait|settle)_ms=|^\/mcp\b|^\/v1\/hooks\/|^\/v1\/workers\/claim\b/;

declare module 'fastify' {
  interface FastifyBaseLogger {
    isLevelEnabled?(level: string): boolean;
  }
}
