// The MCP door on standard input and output: the same tools, at a backend that is somewhere else.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolBackend } from './tool-backend.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE } from './wait.ts';

export function serveTools(
  backend: ToolBackend,
  version: string,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const factory = ({ era }: { era: 'legacy' | 'modern' }) =>
    createToolServer({ backend, era, version, patience: PATIENCE });
  return serveStdio(factory, { onerror: onError });
}
