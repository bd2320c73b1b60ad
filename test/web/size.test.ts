// How much script a browser has to fetch before the inbox is drawn: what the document asks for, compressed as it is sent.
// Diffs, highlighting, Markdown, charts and the other pages come later, when they are needed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = join(import.meta.dirname, '..', '..', 'web', 'dist');
const LIMIT = 100_000;

it.skipIf(!existsSync(built))('asks for less than 100 kB of compressed script before the first drawing', () => {
  const document = readFileSync(join(built, 'index.html'), 'utf8');
  const scripts = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = scripts.map((path) => gzipSync(readFileSync(join(built, path)), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LIMIT);
  const text = scripts.map((path) => readFileSync(join(built, path), 'utf8')).join('\n');
  expect(text).not.toContain('hljs');
});
