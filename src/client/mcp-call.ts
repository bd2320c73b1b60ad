// One call of a tool at the server's own MCP door, for a worker that forwards what its agent wanted to call. A client of
// the protocol it is not: one request, one result, in the 2025 way that needs no greeting. The same call again has the same
// result, by its `tool_use_id`: so it goes the way of every other call, and outlasts a server that is away for a while.
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
