// A file that is written whole or not at all.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/node/atomic-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-atomic-'));
  path = join(folder, 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('replaces the content, with the given permissions, and leaves nothing beside it', () => {
  writeFileAtomic(path, 'old');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileAtomic(path, 'new', { mode: 0o644 });
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o644]);
  expect(readdirSync(folder)).toEqual(['settings.json']);
});

it('leaves the old content when the last look refuses', () => {
  writeFileAtomic(path, 'old');
  const beforeRename = () => {
    throw new Error('changed meanwhile');
  };
  expect(() => writeFileAtomic(path, 'new', { beforeRename })).toThrow('changed meanwhile');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['settings.json']]);
});

it('writes through no link that lies where the draft goes', () => {
  const [draft, other] = [join(folder, 'draft'), join(folder, 'other')];
  writeFileSync(other, 'theirs');
  symlinkSync(other, draft);
  writeFileAtomic(path, 'new', { draft });
  expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['new', 'theirs']);
});
