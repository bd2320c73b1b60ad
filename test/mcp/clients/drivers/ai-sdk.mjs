// The client of the AI SDK, with its default settings. Over standard input it has no way to cancel: its calls are cut off
// with the process.
import { experimental_createMCPClient as createClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

export const aborts = { http: true, stdio: false };
export async function connect({ transport, url, token, command, args, env }) {
  const client = await createClient({
    transport:
      transport === 'http'
        ? { type: 'http', url, headers: { authorization: `Bearer ${token}` } }
        : new StdioTransport({ command, args, env, stderr: 'ignore' }),
  });
  const tools = await client.tools();
  return {
    async call(name, given, signal) {
      const options = { abortSignal: signal, toolCallId: 'call', messages: [] };
      const result = await tools[name].execute(given, options);
      if (result.isError) throw new Error(result.content[0].text);
      return result.structuredContent ?? JSON.parse(result.content[0].text);
    },
    close: () => client.close(),
  };
}
