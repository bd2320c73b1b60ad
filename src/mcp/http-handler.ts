// Serves the MCP tools over Streamable HTTP, one request at a time: any server may take the next. Every client of the 2025
// protocol is given a session id, in which its request ids are unique and which says whether it can elicit. What is kept
// between requests is only which answers were sent on which connection (calls.ts). Who calls was decided before.
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import type { Refusal } from '../core/errors.ts';
import type { Actor } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type Caller, Calls, type Connection, callKey } from './calls.ts';
import { speaksForms } from './elicitation.ts';
import { promptOnStream, takeElicitationReply } from './own-prompt.ts';
import { refusalResult } from './result.ts';
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

/** What a request came on. */
export interface Wire {
  connection: Connection;
  /** Whether the response was cut off. */
  cut: Promise<boolean>;
}

interface Calling {
  actor: BoundActor;
  canElicit: boolean;
  caller: Caller;
}

const SESSION_ID = 'mcp-session-id';
const ELICITS = 'elicits-';
const CALLS = 'calls-';
/** They are kept in memory, as those of requests are. */
const GIVEN_ID = /^(?:elicits|calls)-[\w-]{1,64}$/;
const LONGEST_REQUEST_ID = 256;
const FORMS = { elicitation: { form: {} } };

export function createMcpHttpHandler({ gateway, version, patience = PATIENCE, onError }: McpHttpOptions) {
  const calls = new Calls();
  const once = createMcpHandler((ctx) => serverFor(ctx.era, callingOf(ctx)), {
    onerror: onError,
    keepAliveMs: patience.keepAliveMs,
  });
  const serverFor = async (era: 'legacy' | 'modern', { actor, canElicit, caller }: Calling) => {
    const backend = gatewayBackend(gateway, actor);
    return createToolServer({
      backend,
      calls,
      patience,
      session: await backend.session(),
      caller,
      era,
      version,
      promptOf: (mcp) => promptOnStream(mcp, backend),
      declared: canElicit ? FORMS : undefined,
    });
  };

  /** This server may know the call; if it does not, another one may. */
  async function cancel(client: string, { requestId, reason }: Record<string, unknown>): Promise<void> {
    const key = callKey(client, requestId);
    if (!(await calls.cancel(key, String(reason)))) await gateway.cancelCall(key);
  }

  return {
    async handle(request: Request, actor: BoundActor, body: unknown, wire: Wire): Promise<Response> {
      const id = request.headers.get(SESSION_ID);
      const canElicit = id?.startsWith(ELICITS) === true;
      if (id !== null && !GIVEN_ID.test(id)) return gone();
      const client = `${actor.tokenId} ${id ?? ''}`;
      if (id !== null && request.method === 'DELETE') {
        // A client that takes leave has what it was sent.
        await calls.confirm({ client });
        return new Response(null, { status: 204 });
      }
      const backend = gatewayBackend(gateway, actor);
      const messages = [body].flat();
      const requests = messages.filter(isJSONRPCRequest);
      if (requests.some((message) => String(message.id).length > LONGEST_REQUEST_ID)) return tooLong();
      if (canElicit && messages.length > 0 && messages.every(isJSONRPCResponse)) {
        for (const reply of messages) await takeElicitationReply(backend, reply);
        return new Response(null, { status: 202 });
      }
      for (const message of messages)
        if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
          await cancel(client, message.params ?? {});
      const keys = requests.map((message) => callKey(client, message.id));
      void wire.cut.then(async (isCut) => {
        if (isCut) for (const key of keys) await calls.cancel(key).catch(onError);
      });
      const caller = { sessionId: actor.sessionId, client, connection: wire.connection };
      const response = await once.fetch(request, { authInfo: authOf({ actor, canElicit, caller }), parsedBody: body });
      if (isInitializeRequest(body) && response.ok && (await isLegacyRequest(request, body))) {
        const prefix = speaksForms(body.params.capabilities) ? ELICITS : CALLS;
        response.headers.set(SESSION_ID, prefix + crypto.randomUUID());
      }
      return response;
    },
    /** The refusal of a request as the result of the tool call in it, for the model to read. */
    refuse(body: unknown, { code, detail }: Refusal): Response | undefined {
      if (!isJSONRPCRequest(body) || body.method !== 'tools/call') return undefined;
      return Response.json({ jsonrpc: '2.0', id: body.id, result: refusalResult(code, detail) });
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

const tooLong = (): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: `A request id has at most ${LONGEST_REQUEST_ID} characters.` },
    },
    { status: 400 },
  );

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'This connection is not open. Initialize again.' } },
    { status: 404 },
  );
