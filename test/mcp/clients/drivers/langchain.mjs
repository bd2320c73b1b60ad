// The MCP adapters of LangChain, with their default settings.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export const aborts = { http: true, stdio: true };
export async function connect({ transport, url, token, command, args, env }) {
  const server =
    transport === 'http'
      ? { transport: 'http', url, headers: { authorization: `Bearer ${token}` } }
      : { transport: 'stdio', command, args, env, stderr: 'ignore' };
  const client = new MultiServerMCPClient({ mcpServers: { holdpoint: server } });
  const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
  return {
    async call(name, given, signal) {
      const result = await tools.get(name).invoke(given, { signal });
      if (result.text !== undefined) return JSON.parse(result.text);
      return JSON.parse(Array.isArray(result) ? result.map((part) => part.text ?? '').join('') : result);
    },
    close: () => client.close(),
  };
}
