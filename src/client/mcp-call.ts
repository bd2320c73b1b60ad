// Calls one tool of the server's MCP endpoint, for a worker that forwards a call of its agent. Not a client of the
// whole protocol: one request, one result, in the 2025 version that needs no handshake. A repeated call has the same
// result, by its `tool_use_id`, so it is retried like every other call while the server is away.
import { createParser } from 'eventsource-parser';
import { HoldpointProblem, type Http } from './http.ts';

export interface ToolResult {
  text: string;
  isError: boolean;
}

export interface ForwardedCall {
  name: string;
  arguments: Record<string, unknown>;
  tool_use_id: string;
}

/** `token`: whose call it is, which need not be who sends it. */
export async function callTool(
  http: Pick<Http, 'send'>,
  token: string,
  call: ForwardedCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { name, arguments: given, tool_use_id } = call;
  const params = { name, arguments: given, _meta: { tool_use_id } };
  const sent = http.send<string | Reply>({
    method: 'POST',
    path: '/mcp',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    signal,
  });
  const { value } = await sent.catch((error: unknown) => {
    if (!(error instanceof HoldpointProblem)) throw error;
    throw new Error(`The MCP door answered ${error.status}: ${error.detail}`, { cause: error });
  });
  const { result, error } = typeof value === 'string' ? lastOf(value) : value;
  if (!result) throw new Error(`The MCP door refused: ${error?.message ?? 'there was no result'}`);
  return { text: result.content.map(({ text = '' }) => text).join('\n'), isError: result.isError === true };
}

interface Reply {
  result?: { content: { text?: string }[]; isError?: boolean };
  error?: { message: string };
}

/** The last message of a stream. */
function lastOf(body: string): Reply {
  let last = '{}';
  createParser({
    onEvent: ({ data }) => {
      last = data;
    },
  }).feed(body);
  return JSON.parse(last) as Reply;
}
