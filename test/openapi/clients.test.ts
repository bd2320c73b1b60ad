// The OpenAPI document in the hands of others: two linters find nothing in it with their strict rules, and four clients
// that three generators make from it type-check without a cast and run the full cycle. What they need is installed into
// this folder, never into the product; skipped where it cannot be.
// Covers: src/server/openapi/
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverForAll } from '../support/shared-fixtures.ts';

const here = import.meta.dirname;
const modules = join(here, 'node_modules');
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-openapi-'));
const document = join(folder, 'openapi.json');
const server = serverForAll();
const run = promisify(execFile);
const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, maxBuffer: 1 << 24 });

if (!existsSync(join(modules, '.package-lock.json')))
  spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: here });

beforeAll(async () => {
  writeFileSync(document, (await server.raw('GET', '/openapi.json')).text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!existsSync(join(modules, '.package-lock.json')))('the OpenAPI document', () => {
  it('passes the strict rules of Redocly', async () => {
    const cli = join(modules, '@redocly', 'cli', 'bin', 'cli.js');
    const { stderr } = await node(cli, 'lint', document, '--extends', 'recommended-strict');
    expect(stderr).toContain('Your API description is valid');
  });

  it('passes all rules of Spectral', async () => {
    const cli = join(modules, '@stoplight', 'spectral-cli', 'dist', 'index.js');
    const rules = join(here, 'spectral.yaml');
    const { stdout } = await node(cli, 'lint', document, '--ruleset', rules, '--fail-severity', 'hint');
    expect(stdout).toContain('No results');
  });

  it('becomes four clients that type-check and run the full cycle', async () => {
    cpSync(join(here, 'cycles'), folder, { recursive: true });
    symlinkSync(modules, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(folder, 'generated'));
    await node(join(here, 'generate.mjs'), document, join(folder, 'generated'));
    const compiled = await node(join(modules, 'typescript', 'bin', 'tsc'), '-p', folder).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const url = await server.url();
    for (const name of ['hey-api', 'openapi-fetch', 'orval-fetch', 'orval-axios']) {
      const { stdout } = await node(join(folder, 'out', `${name}.js`), url, server.token);
      expect([name, JSON.parse(stdout)]).toEqual([name, ['target', 'staging', 'operator']]);
    }
  });
});
