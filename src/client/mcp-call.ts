// One call of a tool at the server's own MCP door, for a worker that forwards what its agent wanted to call. A client of
// the protocol it is not: one request, one result, in the 2025 way that needs no greeting.
import { createParser } from 'eventsource-parser';

export interface ToolResult {
  text: string;
  isError: boolean;
}

export interface ForwardedCall {
  name: string;
  arguments: Record<string, unknown>;
  tool_use_id: string;
}

export async function callTool(
  url: string,
  token: string,
  call: ForwardedCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { name, arguments: given, tool_use_id } = call;
  const params = { name, arguments: given, _meta: { tool_use_id } };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal,
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`The MCP door answered ${response.status}: ${body.slice(0, 500)}`);
  const { result, error } = replyIn(body);
  if (!result) throw new Error(`The MCP door refused: ${error?.message ?? 'there was no result'}`);
  return { text: result.content.map(({ text = '' }) => text).join('\n'), isError: result.isError === true };
}

interface Reply {
  result?: { content: { text?: string }[]; isError?: boolean };
  error?: { message: string };
}

/** The last message of a stream, or the body itself. */
function replyIn(body: string): Reply {
  if (body.startsWith('{')) return JSON.parse(body) as Reply;
  let last = '{}';
  createParser({
    onEvent: ({ data }) => {
      last = data;
    },
  }).feed(body);
  return JSON.parse(last) as Reply;
}
