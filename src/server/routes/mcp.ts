// The route of the MCP endpoint: checks the caller like every other route, then passes the request on. Speaks no MCP.
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail, HoldpointError, type Refusal } from '../../core/errors.ts';
import type { Actor } from '../../core/token.ts';
import { EVERY_READER } from '../auth.ts';
import { STATUS } from '../problem.ts';
import { goneSignal } from '../request.ts';
import type { Context } from './route.ts';

interface Wire {
  connection: { isOpen(): boolean };
  cut: Promise<boolean>;
}

export interface McpHandler {
  handle(request: Request, actor: Actor & { sessionId: string }, body: unknown, wire: Wire): Promise<Response>;
  /** The response that says so to a model; undefined where the body calls no tool. */
  refuse(body: unknown, refusal: Refusal): Response | undefined;
  close(): Promise<void>;
}

const SMALL_BYTES = 64 * 1024;
const FORWARDED = ['forwarded', 'x-forwarded-for', 'via'];

export function addMcp({ app, gateway, throttle }: Context, mcp: McpHandler): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { scopes: EVERY_READER, mayStream: true },
    async errorHandler(error, { body, raw }, reply) {
      const isLimited = error instanceof HoldpointError && STATUS[error.refusal.code] === 429;
      const told = isLimited ? mcp.refuse(body ?? (await smallBody(raw)), error.refusal) : undefined;
      if (!told) throw error;
      return reply.send(told);
    },
    async handler(request, reply) {
      const { actor, method, body } = request;
      const { sessionId } = actor;
      if (actor.scope !== 'agent' || sessionId === undefined)
        throw fail(
          'scope_forbidden',
          'The tools take the token of one session: `holdpoint tokens create --scope agent --session-id <id>`.',
        );
      // Each message of a batch is a request.
      for (let more = [body].flat().length - 1; more > 0; more--) throttle.request(actor, 0, gateway.now());
      reply.raw.once('close', throttle.open(actor));
      const url = `http://${request.headers.host}${request.url}`;
      const sent = new Request(url, { method, headers: headersOf(request.headers), signal: goneSignal(reply) });
      return reply.send(await mcp.handle(sent, { ...actor, sessionId, surface: 'mcp' }, body, wireOf(request, reply)));
    },
  });
}

/** The body of a request that was refused before it was parsed. */
async function smallBody(raw: IncomingMessage): Promise<unknown> {
  if (!(Number(raw.headers['content-length']) <= SMALL_BYTES)) return undefined;
  try {
    return await json(raw);
  } catch {
    return undefined;
  }
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
