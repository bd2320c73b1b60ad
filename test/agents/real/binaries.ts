// Where the real agents are. What is not installed is undefined, and its tests are skipped by name.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program as ampProgram } from '../../../src/agents/amp/program.ts';
import { program as claudeProgram } from '../../../src/agents/claude/program.ts';
import { program as codexProgram } from '../../../src/agents/codex/program.ts';
import { program as opencodeProgram } from '../../../src/agents/opencode/program.ts';

const modules = join(import.meta.dirname, '..', 'node_modules');

export const claudeVersion = claudeProgram.tested;
export const claude = installed('@anthropic-ai', `claude-agent-sdk-${process.platform}-${process.arch}`, 'claude');

const TRIPLES: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};
const system = `${process.platform}-${process.arch}`;
export const codexVersion = codexProgram.tested;
export const codex = installed('@openai', `codex-${system}`, 'vendor', TRIPLES[system] ?? system, 'bin', 'codex');

export const opencodeVersion = opencodeProgram.tested;
export const opencode = installed(`opencode-${system}`, 'bin', 'opencode');

export const ampVersion = ampProgram.tested;
export const amp = installed('@ampcode', `cli-${system}`, 'amp');

export const claudeAcpVersion = pinned('@agentclientprotocol/claude-agent-acp');
/** A script of Node. */
export const claudeAcp = claude && installed('@agentclientprotocol', 'claude-agent-acp', 'dist', 'index.js');

export const geminiVersion = pinned('@google/gemini-cli');
/** Scripts of Node. */
export const gemini = installed('@google', 'gemini-cli', 'bundle', 'gemini.js');
export const qwenVersion = pinned('@qwen-code/qwen-code');
export const qwen = installed('@qwen-code', 'qwen-code', 'cli-entry.js');

/** The version that the manifest of these tests names. */
function pinned(name: string): string {
  const manifest = readFileSync(join(modules, '..', 'package.json'), 'utf8');
  const { optionalDependencies } = JSON.parse(manifest) as { optionalDependencies: Record<string, string> };
  return optionalDependencies[name] ?? '';
}

function installed(...path: string[]): string | undefined {
  const file = join(modules, ...path);
  return existsSync(file) ? file : undefined;
}
