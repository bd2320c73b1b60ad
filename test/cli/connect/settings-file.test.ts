// How a settings file is replaced: whole, and its content, which may hold a token, is at no moment where others can read
// it or wanted it to go.
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeWhole } from '../../../src/cli/connect/settings-file.ts';
import { endEverything, temporaryFolder } from '../../support/process.ts';

afterAll(endEverything);

function scene() {
  const folder = temporaryFolder();
  const path = join(folder, 'settings.json');
  writeFileSync(path, 'before');
  return { folder, path, draft: `${path}.holdpoint-draft` };
}
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('is nobody else’s to read before it has its place, whatever lay there under the name of its draft', () => {
  const { path, draft } = scene();
  writeFileSync(draft, 'what a crash left', { mode: 0o644 });
  const seen: unknown[] = [];
  writeWhole(path, 'a token', 0o600, () => seen.push(readFileSync(draft, 'utf8'), modeOf(draft)));
  expect(seen).toEqual(['a token', 0o600]);
  expect(readFileSync(path, 'utf8')).toBe('a token');
});

it('does not go where a link under that name leads', () => {
  const { folder, path, draft } = scene();
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'untouched', { mode: 0o644 });
  symlinkSync(elsewhere, draft);
  writeWhole(path, 'a token', 0o600);
  expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
  expect(modeOf(elsewhere)).toBe(0o644);
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('a token');
});
