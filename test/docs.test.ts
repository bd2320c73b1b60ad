// Documents compared with the code: limits, invariants and their tests, dependencies, refusals, commands and links.
// Covers: src/core/error-advice.ts
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { build as buildSite, llmsText, pages } from '../scripts/build-docs.mjs';
// @ts-expect-error a script without types
import { errorsPage } from '../scripts/build-errors.mjs';
// @ts-expect-error a script without types
import { missingForRelease } from '../scripts/check-release.mjs';
import { createProgram } from '../src/cli/program.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { readApproval } from '../src/core/reply.ts';
import { tableUnder } from './support/markdown-table.ts';
import { temporaryFolder } from './support/process.ts';

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

  it('names only commands and flags of the command line that exist', async () => {
    const program = await createProgram();
    const wrong = ['README.md', 'CONTRIBUTING.md', 'deploy/README.md', ...PAGES.map((page) => `docs/${page}`)].flatMap(
      (page) =>
        commandLinesOf(read(page)).flatMap((line) =>
          unknownIn(line, program).map((word) => `${page}: ${line}: ${word}`),
        ),
    );
    expect(wrong).toEqual([]);
    expect(unknownIn('questions anwser x', program)).toEqual(['anwser']);
    expect(unknownIn('runs list --al', program)).toEqual(['--al']);
  });

  it('names only npm scripts that exist', () => {
    const named = ['README.md', 'CONTRIBUTING.md', ...PAGES.map((page) => `docs/${page}`)].flatMap((page) =>
      [...read(page).matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(([, name, short]) => name ?? short ?? ''),
    );
    expect(named).toEqual(expect.arrayContaining(['start', 'test', 'bench']));
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  it('docs/errors.md lists every refusal as it is: npm run docs:errors', () => {
    expect(read('docs/errors.md')).toBe(errorsPage());
  });

  it('llms.txt lists every page with what it is for: npm run docs', () => {
    expect(read('llms.txt')).toBe(llmsText());
  });

  it('docs/README.md leads to every page', () => {
    const linked = new Set([...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file));
    expect(PAGES.filter((name) => name !== 'README.md' && !linked.has(name))).toEqual([]);
  });

  it('a release is refused as long as it has invented or missing addresses', () => {
    const missing = missingForRelease() as string[];
    const { repository, homepage } = JSON.parse(read('package.json')) as Record<string, string | undefined>;
    expect(missing.some((line) => line.startsWith('package.json: set "repository"'))).toBe(repository === undefined);
    expect(missing.some((line) => line.startsWith('package.json: set "homepage"'))).toBe(homepage === undefined);
    expect(missing.some((line) => line.includes('mcpName'))).toBe(/example/.test(read('server.json')));
  });

  it('the site has a page for every document, and no link in it leads nowhere: npm run docs', () => {
    const site = temporaryFolder();
    buildSite(site);
    const html = new Map(
      readdirSync(site).map((name) => [name, name.endsWith('.html') ? readFileSync(join(site, name), 'utf8') : '']),
    );
    expect([...html.keys()].filter((name) => name.endsWith('.html'))).toHaveLength(pages().length);
    const dead = [...html].flatMap(([name, text]) =>
      [...text.matchAll(/(?:href|src)="(?!https?:)([^"#]*)(?:#([^"]*))?"/g)]
        .filter(([, file = '', id]) => {
          if (file !== '' && !existsSync(join(site, file))) return true;
          return id !== undefined && !html.get(file || name)?.includes(`id="${id}"`);
        })
        .map(([link]) => `${name}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('server.json and both packages have one name and one version', () => {
    const server = JSON.parse(read('server.json')) as {
      name: string;
      description: string;
      version: string;
      packages: { version: string }[];
    };
    const own = JSON.parse(read('package.json')) as { version: string; mcpName: string };
    const client = JSON.parse(read('packages/client/package.json')) as { version: string };
    expect([server.version, server.packages[0]?.version, client.version]).toEqual(Array(3).fill(own.version));
    expect(server.name).toBe(own.mcpName);
    // What the registry's schema requires of them.
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
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

/** What follows `holdpoint` in blocks and in the text of a page. */
function commandLinesOf(page: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) =>
    code.replaceAll(/\\\n\s*/g, ''),
  );
  const inBlocks = blocks.flatMap((code) => [
    ...code.matchAll(/(?:^|[|(&;] *|if )(?:npx |\.\/bin\/)?holdpoint ([^\n|)#;]+)/gm),
  ]);
  const inText = [...page.matchAll(/(?<!`)`(?:npx |\.\/bin\/)?holdpoint ([^`\n]+)`/g)];
  return [...inBlocks, ...inText]
    .map(([, line = '']) => line.trim())
    .filter((line) => !/(?:^|^worker )ready\b/.test(line));
}

/** The words of a command line that are neither a command, where one is expected, nor a flag that the command has. */
function unknownIn(line: string, program: Command): string[] {
  const words = line.replaceAll(/'[^']*'|"[^"]*"/g, 'text').split(/\s+/);
  let command = program;
  let at = 0;
  for (; command.commands.length > 0 && at < words.length && /^[a-z]/.test(words[at] ?? ''); at++) {
    const named = (words[at] ?? '').split('|').map((name) => command.commands.find((one) => one.name() === name));
    const [first] = named;
    if (named.includes(undefined) || !first) return [words[at] ?? ''];
    command = first;
  }
  const end = words.indexOf('--');
  const flags = words.slice(at, end < 0 ? undefined : end).filter((word) => /^--[a-z]/.test(word));
  const known = new Set(['--help', '--version', ...command.options.map(({ long }) => long)]);
  return flags.filter((flag) => !known.has(flag.replace(/=.*|[.,]$/, '')));
}
