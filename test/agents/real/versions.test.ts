// The programs that these tests run are the ones that `holdpoint doctor` names as tested.
import { expect, it } from 'vitest';
import { programVersion } from '../../../src/worker/program-version.ts';
import { claude, claudeVersion, codex, codexVersion, opencode, opencodeVersion } from './binaries.ts';

it.skipIf(!claude)('Claude Code', async () => expect(await programVersion(claude as string)).toBe(claudeVersion));
it.skipIf(!codex)('Codex', async () => expect(await programVersion(codex as string)).toBe(codexVersion));
it.skipIf(!opencode)('OpenCode', async () => expect(await programVersion(opencode as string)).toBe(opencodeVersion));
