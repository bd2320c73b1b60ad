// The way to the MCP door: checks who calls like every other route, then hands the request over as it is. Speaks no MCP.
import { fail } from '../../core/errors.ts';
import type { Actor } from '../../core/token.ts';
import { goneSignal } from '../request.ts';
import type { Context } from './route.ts';

export interface McpHandler {
  handle(request: Request, actor: Actor & { sessionId: string }, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export function addMcp({ app, throttle }: Context, mcp: McpHandler): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { scopes: ['agent'] },
    schema: { hide: true },
    async handler(request, reply) {
      const { actor, method, body } = request;
      const { sessionId } = actor;
      if (sessionId === undefined) throw fail('scope_forbidden', 'This token belongs to no session.');
      reply.raw.once('close', throttle.open(actor));
      const url = `http://${request.headers.host}${request.url}`;
      const sent = new Request(url, { method, headers: headersOf(request.headers), signal: goneSignal(reply) });
      return reply.send(await mcp.handle(sent, { ...actor, sessionId, surface: 'mcp' }, body));
    },
  });
}

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  return headers;
}
