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
  opencode,
  opencodeVersion,
} from './binaries.ts';

it.skipIf(!claude)('Claude Code', async () => expect(await programVersion(claude as string)).toBe(claudeVersion));
it.skipIf(!codex)('Codex', async () => expect(await programVersion(codex as string)).toBe(codexVersion));
it.skipIf(!opencode)('OpenCode', async () => expect(await programVersion(opencode as string)).toBe(opencodeVersion));
it.skipIf(!amp)('Amp', async () => expect(await programVersion(amp as string)).toBe(ampVersion));
it.skipIf(!claudeAcp)('Claude Agent over ACP', () => {
  const manifest = join(dirname(claudeAcp as string), '..', 'package.json');
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ version: claudeAcpVersion });
});
