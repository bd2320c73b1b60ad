// The real agents that speak ACP against the scripted model: what their tests need besides the beds of the same agents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { claudeAcp } from './binaries.ts';

/** The environment of Claude Code, with `claude-agent-acp` in its PATH, run by the Node of these tests. */
export function withClaudeAcp(root: string, env: Record<string, string>): Record<string, string> {
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${claudeAcp}" "$@"\n`;
  writeFileSync(join(bin, 'claude-agent-acp'), script, { mode: 0o755 });
  // A sandbox that the machine claims to be would have the adapter ask for a mode that Claude Code refuses to root.
  return { ...env, PATH: [bin, env.PATH].join(delimiter), IS_SANDBOX: '' };
}
