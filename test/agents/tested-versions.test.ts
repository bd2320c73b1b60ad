// The versions that `holdpoint doctor` names as tested are the ones the tests against the real agents install.
// Covers: src/worker/program-version.ts, src/agents/claude/program.ts, src/agents/codex/program.ts
// Covers: src/agents/opencode/program.ts, src/agents/amp/program.ts
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { registry } from '../../src/agents/registry.ts';
import { programVersion } from '../../src/worker/program-version.ts';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'agents-installed.mjs');
const { missingAgents }: { missingAgents(folder: string, system: string): string[] } = await import(script);

const manifest = join(import.meta.dirname, 'package.json');
const { optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
  optionalDependencies: Record<string, string>;
};
const pinned = (name: string) => [
  ...new Set(
    Object.entries(optionalDependencies)
      .filter(([key]) => key.startsWith(name))
      .map(([, version]) => version),
  ),
];
const testedOf = async (agent: string) => (await registry[agent]?.())?.program?.tested ?? '';
const versions = new Map([
  ['codex', await testedOf('codex')],
  ['claude', await testedOf('claude')],
  ['opencode', await testedOf('opencode')],
  ['amp', await testedOf('amp')],
]);
const tested = (agent: string) => versions.get(agent) ?? '';

it('Codex, on every system', () => {
  const systems = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  expect(pinned('@openai/codex-').sort()).toEqual(
    systems.map((system) => `npm:@openai/codex@${tested('codex')}-${system}`),
  );
});

it('Claude Code, whose packages count their patches alike', () => {
  expect(pinned('@anthropic-ai/claude-agent-sdk-').map((version) => version.split('.')[2])).toEqual([
    tested('claude').split('.')[2],
  ]);
});

it('OpenCode, on every system', () => {
  expect(pinned('opencode-')).toEqual([tested('opencode')]);
});

it('Amp, on every system', () => {
  expect(pinned('@ampcode/cli-')).toEqual([tested('amp')]);
});

it('finds out what is on the machine', async () => {
  expect(await programVersion(process.execPath)).toBe(process.versions.node);
  expect(await programVersion('no-such-program-anywhere')).toBeUndefined();
  expect(await programVersion('false')).toBeUndefined();
});

it('asks a program without handing it what is Holdpoint’s own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-version-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\necho "1.2.$(printf %s "$HOLDPOINT_TOKEN" | wc -c | tr -d " ")"\n', {
    mode: 0o755,
  });
  vi.stubEnv('HOLDPOINT_TOKEN', 'secret');
  expect(await programVersion(program)).toBe('1.2.0');
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('an agent whose download failed is missing, on this system only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-agents-'));
  const there = join(folder, 'node_modules', '@a', 'one-linux-x64');
  const optional = { '@a/one-linux-x64': '1', '@b/two-linux-x64': '1', '@a/one-darwin-arm64': '1' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ optionalDependencies: optional }));
  mkdirSync(there, { recursive: true });
  expect(missingAgents(folder, 'linux-x64')).toEqual(['@a/one-linux-x64', '@b/two-linux-x64']);
  writeFileSync(join(there, 'package.json'), '{}');
  expect(missingAgents(folder, 'linux-x64')).toEqual(['@b/two-linux-x64']);
  expect(missingAgents(folder, 'sunos-x64')).toEqual([]);
  const anywhere = { optionalDependencies: { ...optional, '@c/three': '1' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(anywhere));
  expect(missingAgents(folder, 'sunos-x64')).toEqual(['@c/three']);
  rmSync(folder, { recursive: true });
});
