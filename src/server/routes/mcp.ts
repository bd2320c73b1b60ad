// The route of the MCP endpoint: checks the caller like every other route, then passes the request on. Speaks no MCP.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../core/errors.ts';
import type { Actor } from '../../core/token.ts';
import { EVERY_READER } from '../auth.ts';
import { goneSignal } from '../request.ts';
import type { Context } from './route.ts';

interface Wire {
  connection: { isOpen(): boolean };
  cut: Promise<boolean>;
}

export interface McpHandler {
  handle(request: Request, actor: Actor & { sessionId: string }, body: unknown, wire: Wire): Promise<Response>;
  close(): Promise<void>;
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'via'];

export function addMcp({ app, throttle }: Context, mcp: McpHandler): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { scopes: EVERY_READER },
    schema: { hide: true },
    async handler(request, reply) {
      const { actor, method, body } = request;
      const { sessionId } = actor;
      if (actor.scope !== 'agent' || sessionId === undefined)
        throw fail(
          'scope_forbidden',
          'The tools take the token of one session: `holdpoint tokens create --scope agent --session-id <id>`.',
        );
      reply.raw.once('close', throttle.open(actor));
      const url = `http://${request.headers.host}${request.url}`;
      const sent = new Request(url, { method, headers: headersOf(request.headers), signal: goneSignal(reply) });
      return reply.send(await mcp.handle(sent, { ...actor, sessionId, surface: 'mcp' }, body, wireOf(request, reply)));
    },
  });
}

/** A socket that its client, or a proxy, closes after every response says nothing by that. */
function wireOf({ headers, raw }: FastifyRequest, reply: FastifyReply): Wire {
  const { socket } = raw;
  const isOnce = headers.connection === 'close' || FORWARDED.some((name) => headers[name] !== undefined);
  return {
    connection: { isOpen: () => isOnce || !(socket.destroyed || socket.readableEnded) },
    cut: new Promise((resolve) => reply.raw.once('close', () => resolve(!reply.raw.writableFinished))),
  };
}

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  return headers;
}
