// The packages as users get them: packed, installed by npm into an empty folder, and run on Node 20, 22 and 24. Tests that
// download a Node or dependencies are skipped by name where npm cannot.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { version } from '../src/cli/version.ts';
import { snippetsOf } from './support/markdown-snippets.ts';
import { endEverything, root, startHoldpoint, temporaryFolder } from './support/process.ts';

const OLD = ['20', '22'];
const CLIENT_BYTES = 2 * 1024 * 1024;
const bare = { HOME: temporaryFolder(), PATH: '/usr/local/bin:/usr/bin:/bin', npm_config_audit: 'false' };
const tarballs = temporaryFolder();
const app = join(temporaryFolder(), 'app');
const clientApp = join(temporaryFolder(), 'client');
const nodes: Record<string, string> = {};

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--prefer-offline', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { ...process.env, npm_config_audit: 'false' },
    encoding: 'utf8',
  });
const emptyProject = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
};
const run = (node: string, args: string[], more: Record<string, string> = {}, cwd = app) =>
  spawnSync(node, args, { cwd, env: { ...bare, ...more }, encoding: 'utf8' });
/** With no other Node to be found. */
const onlyOn = (node: string, launcher: string) => run(absolute(node), [launcher, '--version'], { PATH: '' });
const absolute = (node: string): string =>
  node.startsWith('/')
    ? node
    : execFileSync('/bin/sh', ['-c', `command -v ${node}`], { env: bare, encoding: 'utf8' }).trim();
const installed = (folder: string, name: string) => join(folder, 'node_modules', name);

/** What the group of a pattern is in what a program writes. */
const firstMatch = (stream: Readable, pattern: RegExp) =>
  new Promise<string>((resolve, reject) => {
    let written = '';
    stream.setEncoding('utf8').on('data', (more: string) => {
      written += more;
      const found = pattern.exec(written)?.[1];
      if (found !== undefined) resolve(found);
    });
    stream.once('end', () => reject(new Error(`it ended with: ${written}`)));
  });

/** When the newest file below a folder was written. */
function newest(folder: string): number {
  const path = join(root, folder);
  if (!existsSync(path)) return 0;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}

function canInstall(): boolean {
  try {
    const major = (v: string) => `node${v}@npm:node-${process.platform}-${process.arch}@${v}`;
    const folder = temporaryFolder();
    emptyProject(folder);
    const [here] = /(?<=^v)\d+/.exec(execFileSync('node', ['--version'], { env: bare, encoding: 'utf8' })) ?? [];
    if (here && OLD.includes(here)) nodes[here] = 'node';
    const missing = OLD.filter((v) => !nodes[v]);
    npm(folder, 'install', ...missing.map(major));
    for (const v of missing) nodes[v] = join(installed(folder, `node${v}`), 'bin', 'node');
    return true;
  } catch {
    return false;
  }
}
const isOnline = canInstall();

beforeAll(async () => {
  if (newest('dist') < newest('src')) npm(root, 'run', 'build');
  for (const folder of [root, join(root, 'packages', 'client')])
    npm(folder, 'pack', '--ignore-scripts', '--pack-destination', tarballs);
  if (!isOnline) return;
  for (const folder of [app, clientApp]) emptyProject(folder);
  npm(clientApp, 'install', join(tarballs, `holdpoint-client-${version}.tgz`));
  npm(app, 'install', join(tarballs, `holdpoint-${version}.tgz`));
}, 240_000);
afterAll(endEverything);

describe('the packages', { timeout: 120_000 }, () => {
  it('link only to files that they contain, and have one version', () => {
    const files = execFileSync('tar', ['tzf', join(tarballs, `holdpoint-${version}.tgz`)], { encoding: 'utf8' }).split(
      '\n',
    );
    const packed = new Set(files.map((file) => file.replace('package/', '')));
    const isThere = (path: string) => packed.has(path) || files.some((file) => file.startsWith(`package/${path}/`));
    const dead = [...packed]
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
          .map(([, target = '']) => normalize(join(dirname(file), target)).replace(/\/$/, ''))
          .filter((target) => !isThere(target))
          .map((target) => `${file} → ${target}`),
      );
    expect(dead).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8')) as {
      version: string;
    };
    expect(manifest.version).toBe(version);
  });

  it('have a man page for every command, in which groff finds nothing to complain about', async () => {
    const program = await createProgram();
    const names = program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name());
    const wanted = ['holdpoint.1', ...names.filter((name) => name !== 'help').map((name) => `holdpoint-${name}.1`)];
    const tarball = join(tarballs, `holdpoint-${version}.tgz`);
    const unpacked = temporaryFolder();
    execFileSync('tar', ['xzf', tarball, '-C', unpacked, 'package/man']);
    const folder = join(unpacked, 'package', 'man');
    expect(readdirSync(folder).sort()).toEqual(wanted.sort());
    const groff = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', ...wanted], { cwd: folder, encoding: 'utf8' });
    if (groff.error === undefined) expect(groff.stderr).toBe('');
  });

  it.skipIf(!isOnline)('the client alone installs under 2 MB, without any other package', () => {
    const sizeOf = (path: string): number =>
      statSync(path).isDirectory()
        ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
        : statSync(path).size;
    expect(sizeOf(join(clientApp, 'node_modules'))).toBeLessThan(CLIENT_BYTES);
    const packages = readdirSync(join(clientApp, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(packages).toEqual(['@holdpoint']);
  });

  it.skipIf(!isOnline)('the client asks on Node 20, 22 and 24, imported and required', async () => {
    const { url, token } = await startHoldpoint();
    const more = { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token };
    const spec = "{ id: 'same', question: 'Where to?', options: ['staging'], expires_after_ms: 1 }";
    for (const [v, node] of [...Object.entries(nodes), ['24', process.execPath] as const]) {
      const program = `import { ask } from '@holdpoint/client'; console.log((await ask(${spec.replace('same', v)})).status)`;
      const imported = run(node, ['--input-type=module', '-e', program], more, clientApp);
      expect(imported.stdout, imported.stderr).toBe('expired\n');
      const required = run(node, ['-e', "console.log(typeof require('@holdpoint/client').ask)"], {}, clientApp);
      expect(required.stdout, required.stderr).toBe('function\n');
    }
  });

  it.skipIf(!isOnline)('the program says on an older Node in one line what to install, and then runs', () => {
    const launcher = join(installed(app, 'holdpoint'), 'bin', 'holdpoint');
    expect(run(process.execPath, [launcher, '--version']).stdout).toBe(`${version}\n`);
    for (const node of Object.values(nodes)) {
      const { status, stdout, stderr } = onlyOn(node, launcher);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^Holdpoint needs Node 24 or newer, this is v\d+\.\S+ Put it beside Holdpoint with `npm install node@24`.*, and start it again\.\n$/,
      );
    }
    npm(app, 'install', 'node@24');
    for (const node of Object.values(nodes)) expect(onlyOn(node, launcher).stdout).toBe(`${version}\n`);
  });

  it.skipIf(!isOnline)('lead from the tarball to an answered question by what docs/quick-start.md says', async () => {
    const page = join(installed(app, 'holdpoint'), 'docs', 'quick-start.md');
    const program = snippetsOf(page, page).find(({ language }) => language === 'js')?.code ?? '';
    writeFileSync(join(app, 'ask.mjs'), program);
    const settings = { HOLDPOINT_PORT: '0', HOLDPOINT_DATA: temporaryFolder() };
    const server = spawn('npx', ['holdpoint'], { cwd: app, env: { ...bare, ...settings }, detached: true });
    try {
      const HOLDPOINT_URL = await firstMatch(server.stdout, /^holdpoint ready (\S+)$/m);
      const env = { ...bare, ...settings, HOLDPOINT_URL };
      const npx = (...args: string[]) => spawnSync('npx', ['holdpoint', ...args], { cwd: app, env, encoding: 'utf8' });
      const asking = spawn('node', ['ask.mjs'], { cwd: app, env });
      const said = text(asking.stdout);
      const listed = () => npx('questions', 'list', '--fields', 'request.id').stdout;
      await expect.poll(listed, { timeout: 60_000 }).toContain('ask_');
      const [{ 'request.id': id }] = JSON.parse(listed()) as [{ 'request.id': string }];
      expect(npx('questions', 'answer', id.slice(-6), 'staging')).toMatchObject({ status: 0 });
      expect(await said).toBe('Going to staging\n');
    } finally {
      process.kill(-(server.pid ?? 0), 'SIGTERM');
    }
  });
});
