// The MCP door on standard input and output: the same tools, at a desk that is somewhere else.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Desk } from './desk.ts';
import { createToolServer } from './tools.ts';
import { PATIENCE } from './wait.ts';

export function serveTools(desk: Desk, version: string, onError: (error: Error) => void): { close(): Promise<void> } {
  const factory = ({ era }: { era: 'legacy' | 'modern' }) =>
    createToolServer({ desk, era, version, patience: PATIENCE });
  return serveStdio(factory, { onerror: onError });
}
