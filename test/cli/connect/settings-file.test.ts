// The settings file of another program: replaced only while it is what was read, and without a draft left behind.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readSettings, removeDraft, replaceSettings } from '../../../src/cli/connect/settings-file.ts';
import { endEverything, temporaryFolder } from '../../support/process.ts';

afterAll(endEverything);

function settingsFile() {
  const folder = temporaryFolder();
  const path = join(folder, 'settings.json');
  writeFileSync(path, 'before');
  return { folder, path };
}

it('does not replace a file that changed since it was read', () => {
  const { folder, path } = settingsFile();
  const file = readSettings(path);
  writeFileSync(path, 'theirs');
  expect(() => replaceSettings(file, 'ours', 0o600)).toThrow('was changed by another program');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['theirs', ['settings.json']]);
});

it('removes the draft that a crash left, which may contain a token', () => {
  const { folder, path } = settingsFile();
  writeFileSync(`${path}.holdpoint-draft`, 'a token');
  removeDraft(path);
  expect(readdirSync(folder)).toEqual(['settings.json']);
});
