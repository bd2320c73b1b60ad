// Where the real agents are. What is not installed is undefined, and its tests are skipped by name.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, 'node_modules');

export const claudeVersion = '0.3.325';
export const claude = installed('@anthropic-ai', `claude-agent-sdk-${process.platform}-${process.arch}`, 'claude');

function installed(...path: string[]): string | undefined {
  const file = join(modules, ...path);
  return existsSync(file) ? file : undefined;
}
