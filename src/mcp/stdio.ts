// Serves the MCP tools on standard input and output, at a backend that is somewhere else.
import { CLIENT_INFO_META_KEY, isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Calls, callKey } from './calls.ts';
import type { ToolBackend } from './tool-backend.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE } from './wait.ts';

const CLIENT = 'stdio';

/** `backendFor`: called when the client has said its name. */
export function serveTools(
  backendFor: (clientName: string) => Promise<ToolBackend>,
  version: string,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const calls = new Calls();
  const transport = new StdioServerTransport();
  const caller = { sessionId: '', client: CLIENT, connection: { isOpen: () => true } };
  let clientName = '';
  const server = serveStdio(
    async ({ era }) => {
      const backend = await backendFor(clientName);
      const session = await backend.session();
      return createToolServer({ backend, calls, patience: PATIENCE, session, caller, era, version });
    },
    { transport, onerror: onError },
  );
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) clientName ||= nameIn(message.params);
    // The protocol library forgets a call with its result; a cancellation that crossed it gives the answer back.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId, reason } = (message.params ?? {}) as { requestId?: unknown; reason?: string };
      void calls.cancel(callKey(CLIENT, requestId), reason).catch(onError);
    }
    onmessage?.(message);
  };
  return server;
}

/** With `initialize`, and since 2026 with every request. */
function nameIn(params: Record<string, unknown> | undefined): string {
  const meta = params?._meta as Record<string, unknown> | undefined;
  const info = (params?.clientInfo ?? meta?.[CLIENT_INFO_META_KEY]) as { name?: unknown } | undefined;
  return String(info?.name ?? '');
}
