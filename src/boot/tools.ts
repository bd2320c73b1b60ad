// Serves the MCP tools over standard input and output, for an agent that starts its servers itself.
export { serveTools } from '../mcp/stdio.ts';
