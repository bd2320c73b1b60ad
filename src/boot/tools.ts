// The tools of the MCP door over standard input and output, for an agent that starts its servers itself.
export { serveTools } from '../mcp/stdio.ts';
