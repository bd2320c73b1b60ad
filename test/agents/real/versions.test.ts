// The programs that these tests run are the ones that `holdpoint doctor` names as tested.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { programVersion } from '../../../src/worker/program-version.ts';
import {
  amp,
  ampVersion,
  claude,
  claudeAcp,
  claudeAcpVersion,
  claudeVersion,
  codex,
  codexVersion,
  gemini,
  geminiVersion,
  opencode,
  opencodeVersion,
  qwen,
  qwenVersion,
} from './binaries.ts';

it.skipIf(!claude)('Claude Code', async () => expect(await programVersion(claude as string)).toBe(claudeVersion));
it.skipIf(!codex)('Codex', async () => expect(await programVersion(codex as string)).toBe(codexVersion));
it.skipIf(!opencode)('OpenCode', async () => expect(await programVersion(opencode as string)).toBe(opencodeVersion));
it.skipIf(!amp)('Amp', async () => expect(await programVersion(amp as string)).toBe(ampVersion));

for (const [name, script, above, version] of [
  ['Claude Agent', claudeAcp, '..', claudeAcpVersion],
  ['Gemini CLI', gemini, '..', geminiVersion],
  ['Qwen Code', qwen, '.', qwenVersion],
] as const)
  it.skipIf(!script)(`${name} over ACP`, () => {
    const manifest = join(dirname(script as string), above, 'package.json');
    expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ version });
  });
