// Tests how much compressed script the document loads before the inbox is rendered. Diffs, highlighting, Markdown, plots and
// the other pages are chunks of their own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = join(import.meta.dirname, '..', '..', 'web', 'dist');
const LIMIT = 100_000;

it.skipIf(!existsSync(built))('loads less than 100 kB of compressed script before the first render', () => {
  const document = readFileSync(join(built, 'index.html'), 'utf8');
  const scripts = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = scripts.map((path) => gzipSync(readFileSync(join(built, path)), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LIMIT);
  const text = scripts.map((path) => readFileSync(join(built, path), 'utf8')).join('\n');
  expect(text).not.toContain('hljs');
});
