// Documents compared with the code: limits, invariants and their tests, dependencies, refusals, commands and links.
// Covers: src/core/error-advice.ts
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { pages } from '../scripts/build-docs.mjs';
// @ts-expect-error a script without types
import { errorsPage } from '../scripts/build-errors.mjs';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { readApproval } from '../src/core/reply.ts';
import { tableUnder } from './support/markdown-table.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const PAGES = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const manifest = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  scripts: Record<string, string>;
};

describe('documents', () => {
  it('SPEC.md lists every limit with its default', () => {
    const written = Object.fromEntries(
      tableUnder(read('SPEC.md'), 'Limits').map(([, name, value]) => [name, Number(value)]),
    );
    const variable = (name: string) => `\`HOLDPOINT_LIMIT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}\``;
    expect(written).toEqual(Object.fromEntries(Object.entries(DEFAULT_LIMITS).map(([k, v]) => [variable(k), v])));
  });

  it('SPEC.md names an existing test for every invariant', () => {
    const rows = tableUnder(read('SPEC.md'), 'Invariants');
    expect(rows.map(([id]) => id)).toEqual(Array.from({ length: 10 }, (_, i) => `I${i + 1}`));
    for (const [id, , shown = ''] of rows) {
      const files = [...shown.matchAll(/`(test\/[^`]+)`(?:: "([^"]+)")?/g)];
      expect(files.length, `${id} names a test`).toBeGreaterThan(0);
      for (const [, file = '', title] of files) {
        expect(existsSync(join(root, file)), file).toBe(true);
        if (title) expect(read(file), `${file} has "${title}"`).toContain(title);
      }
    }
  });

  it('SECURITY.md names code and tests that exist for every promise', () => {
    const rows = tableUnder(read('SECURITY.md'), 'What is promised');
    expect(rows.length).toBeGreaterThan(20);
    for (const [threat, , where = ''] of rows) {
      const files = [...where.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      expect(
        files.some((file) => /^(?:src|scripts)\//.test(file)),
        `${threat}: code`,
      ).toBe(true);
      expect(
        files.some((file) => file.endsWith('.test.ts')),
        `${threat}: a test`,
      ).toBe(true);
      for (const file of files) expect(existsSync(join(root, file)), `${threat}: ${file}`).toBe(true);
    }
  });

  it('SECURITY.md names the tests of every finding, which are named after it', () => {
    const rows = tableUnder(read('SECURITY.md'), 'Findings of the review before release');
    expect(rows.map(([finding]) => Number.parseInt(finding ?? '', 10))).toEqual(
      Array.from({ length: 25 }, (_, i) => i + 1),
    );
    for (const [finding = '', where = ''] of rows) {
      const files = [...where.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      const named = new RegExp(`['"\`]finding ${Number.parseInt(finding, 10)}: `);
      const isNamed = (file: string) => named.test(read(file)) || /skills\.test\.ts$/.test(file);
      expect(
        files.filter((file) => !isNamed(file)),
        finding,
      ).toEqual([]);
      expect(files, finding).not.toEqual([]);
    }
  });

  it('ARCHITECTURE.md gives a reason for each dependency', () => {
    const written = tableUnder(read('ARCHITECTURE.md'), 'Dependencies').map(([name]) => name);
    expect([...written].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });

  it('README.md shows how the package is imported under its own name', async () => {
    // `npm install` builds it; a checkout whose build was removed makes it again.
    if (!existsSync(join(root, 'packages', 'client', 'dist', 'index.js')))
      execFileSync(process.execPath, [join(root, 'scripts', 'build-client.mjs')], { cwd: root });
    const name: string = 'holdpoint';
    expect(await import(name)).toMatchObject({ ask: expect.any(Function), approve: expect.any(Function) });
  });

  it('README.md names commands that exist', () => {
    const commands = [...read('README.md').matchAll(/^npm (?:run )?(\w+)/gm)].map(([, name = '']) => name);
    expect(commands).toContain('start');
    expect(commands).toContain('test');
    for (const name of commands) expect(Object.keys(manifest.scripts)).toContain(name);
  });

  it('docs/errors.md lists every refusal as it is: npm run docs:errors', () => {
    expect(read('docs/errors.md')).toBe(errorsPage());
  });

  it('llms.txt lists every page: npm run docs', () => {
    const listed = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file);
    expect(listed).toEqual(pages());
  });

  it('docs/README.md leads to every page', () => {
    const linked = new Set([...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file));
    expect(PAGES.filter((name) => name !== 'README.md' && !linked.has(name))).toEqual([]);
  });

  it('server.json and both packages have one name and one version', () => {
    const server = JSON.parse(read('server.json')) as {
      name: string;
      version: string;
      packages: { version: string }[];
    };
    const own = JSON.parse(read('package.json')) as { version: string; mcpName: string };
    const client = JSON.parse(read('packages/client/package.json')) as { version: string };
    expect([server.version, server.packages[0]?.version, client.version]).toEqual(Array(3).fill(own.version));
    expect(server.name).toBe(own.mcpName);
  });

  it('docs/threads.md says what a reply to an approval means', () => {
    const rows = tableUnder(read('docs/threads.md'), 'What a reply means').filter(
      ([prompt]) => prompt === 'an approval',
    );
    expect(rows).toHaveLength(3);
    for (const [, reply = '', meaning = ''] of rows)
      for (const [, text = ''] of reply.matchAll(/`([^`]+)`/g))
        expect(readApproval(text), text).toEqual({
          behavior: meaning.startsWith('allow') ? 'allow' : 'deny',
          reason: meaning.includes('reason') ? text : undefined,
        });
  });

  it('every document links only to files that exist', () => {
    for (const name of [
      ...PAGES.map((page) => `docs/${page}`),
      'README.md',
      'ARCHITECTURE.md',
      'SPEC.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'deploy/README.md',
    ]) {
      const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
      for (const target of links) expect(existsSync(join(root, name, '..', target)), `${name} → ${target}`).toBe(true);
    }
  });
});
