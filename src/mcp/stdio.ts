// Serves the MCP tools on standard input and output, at a backend that is somewhere else.
import { isJSONRPCNotification } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Calls, callKey } from './calls.ts';
import type { ToolBackend } from './tool-backend.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE } from './wait.ts';

const CLIENT = 'stdio';

export function serveTools(
  backend: ToolBackend,
  version: string,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const calls = new Calls();
  const transport = new StdioServerTransport();
  const caller = { client: CLIENT, connection: { isOpen: () => true } };
  const server = serveStdio(
    async ({ era }) =>
      createToolServer({ backend, calls, patience: PATIENCE, session: await backend.session(), caller, era, version }),
    { transport, onerror: onError },
  );
  // The protocol library forgets a call with its result; a cancellation that crossed it gives the answer back.
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId, reason } = (message.params ?? {}) as { requestId?: unknown; reason?: string };
      void calls.cancel(callKey(CLIENT, requestId), reason).catch(onError);
    }
    onmessage?.(message);
  };
  return server;
}
