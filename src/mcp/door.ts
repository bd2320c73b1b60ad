// The MCP door over Streamable HTTP. The 2026 protocol is one request at a time, nothing is kept between them. Of the
// 2025 protocol a connection is kept only for a client that can be asked at its own screen, because the answer comes
// back in a request of its own; every other client is served without. Who calls was decided before.
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import type { Actor } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { Connections } from './connections.ts';
import { gatewayDesk } from './desk.ts';
import { speaksForms } from './elicitation.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE, type Patience } from './wait.ts';

export interface McpDoorOptions {
  gateway: Gateway;
  version: string;
  patience?: Patience | undefined;
  onError(error: unknown): void;
}

export type BoundActor = Actor & { sessionId: string };

export function createMcpDoor({ gateway, version, patience = PATIENCE, onError }: McpDoorOptions) {
  const serverFor = (era: 'legacy' | 'modern', actor: BoundActor) =>
    createToolServer({ desk: gatewayDesk(gateway, actor), era, version, patience });
  const connections = new Connections();
  const once = createMcpHandler((ctx) => serverFor(ctx.era, actorOf(ctx)), {
    onerror: onError,
    keepAliveMs: patience.keepAliveMs,
  });

  return {
    async handle(request: Request, actor: BoundActor, body: unknown): Promise<Response> {
      const options = { authInfo: authOf(actor), parsedBody: body };
      const id = request.headers.get('mcp-session-id');
      if (id !== null) return connections.handle(id, actor.tokenId, request, options);
      const isGreeting = isInitializeRequest(body) && speaksForms(body.params.capabilities);
      if (isGreeting && (await isLegacyRequest(request, body)))
        return connections.open(serverFor('legacy', actor), actor.tokenId, request, options);
      return once.fetch(request, options);
    },
    async close(): Promise<void> {
      await Promise.all([once.close(), connections.close()]);
    },
  };
}

const authOf = (actor: BoundActor): AuthInfo => ({ token: '', clientId: actor.tokenId, scopes: [], extra: { actor } });
const actorOf = ({ authInfo }: McpRequestContext): BoundActor => authInfo?.extra?.actor as BoundActor;
