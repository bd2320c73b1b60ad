// The MCP door over Streamable HTTP, one request at a time: nothing is kept between them, so that any server may take the
// next. A client of the 2025 protocol that can be asked at its own screen is given a session id that says so; its replies
// come in requests of their own and name the ask they are about. Who calls was decided before.
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import type { Actor } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { speaksForms } from './elicitation.ts';
import { promptOnStream, takeElicitationReply } from './own-prompt.ts';
import { gatewayBackend } from './tool-backend.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE, type Patience } from './wait.ts';

export interface McpHttpOptions {
  gateway: Gateway;
  version: string;
  patience?: Patience | undefined;
  onError(error: unknown): void;
}

export type BoundActor = Actor & { sessionId: string };
interface Calling {
  actor: BoundActor;
  canElicit: boolean;
}

const SESSION_ID = 'mcp-session-id';
const ELICITS = 'elicits-';
const FORMS = { elicitation: { form: {} } };

export function createMcpHttpHandler({ gateway, version, patience = PATIENCE, onError }: McpHttpOptions) {
  const once = createMcpHandler((ctx) => serverFor(ctx.era, callingOf(ctx)), {
    onerror: onError,
    keepAliveMs: patience.keepAliveMs,
  });
  const serverFor = (era: 'legacy' | 'modern', { actor, canElicit }: Calling) =>
    createToolServer({
      backend: gatewayBackend(gateway, actor),
      era,
      version,
      patience,
      promptOf: promptOnStream,
      declared: canElicit ? FORMS : undefined,
    });

  return {
    async handle(request: Request, actor: BoundActor, body: unknown): Promise<Response> {
      const id = request.headers.get(SESSION_ID);
      const canElicit = id?.startsWith(ELICITS) === true;
      if (id !== null && !canElicit) return gone();
      if (canElicit && request.method === 'DELETE') return new Response(null, { status: 204 });
      const replies = [body].flat();
      if (canElicit && replies.length > 0 && replies.every(isJSONRPCResponse)) {
        for (const reply of replies) await takeElicitationReply(gatewayBackend(gateway, actor), reply);
        return new Response(null, { status: 202 });
      }
      const response = await once.fetch(request, { authInfo: authOf({ actor, canElicit }), parsedBody: body });
      const isGreeting = isInitializeRequest(body) && speaksForms(body.params.capabilities);
      if (isGreeting && response.ok && (await isLegacyRequest(request, body)))
        response.headers.set(SESSION_ID, ELICITS + crypto.randomUUID());
      return response;
    },
    close: () => once.close(),
  };
}

const authOf = (calling: Calling): AuthInfo => ({
  token: '',
  clientId: calling.actor.tokenId,
  scopes: [],
  extra: { calling },
});
const callingOf = ({ authInfo }: McpRequestContext): Calling => authInfo?.extra?.calling as Calling;

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'This connection is not open. Initialize again.' } },
    { status: 404 },
  );
