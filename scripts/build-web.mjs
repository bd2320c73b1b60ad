// Builds the web page into web/dist when its sources changed since the last time, and otherwise does nothing. Quiet on
// success, on standard error otherwise. Several processes may call it at once: each builds beside, the last one stays.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { fail, requireNode, root } from './node.mjs';

const web = join(root, 'web');
const built = join(web, 'dist');
const stamp = join(built, '.sources');
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** What the page is made of: its own files, what it shares with other clients, and how it is built. */
const SOURCES = ['web', 'src/client', 'src/core', 'package-lock.json', 'scripts/build-web.mjs'];

export function buildWebIfNeeded() {
  // An installed package has the built page and none of its sources.
  if (!existsSync(join(web, 'index.html')) || !existsSync(vite)) return;
  const wanted = fingerprint();
  if (isBuiltFrom(wanted)) return;
  process.stderr.write('Building the web page…\n');
  const draft = join(web, `dist-${process.pid}`);
  const args = [vite, 'build', web, '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn'];
  // Whatever the caller is about, such as running tests: the page is built as people get it.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status, stdout, stderr } = spawnSync(requireNode(), args, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    fail(`${stdout}${stderr}\nThe web page could not be built; the lines above say why.`);
  }
  // Another process was quicker: what it put there may be in use already.
  if (isBuiltFrom(wanted)) return rmSync(draft, { recursive: true, force: true });
  compress(join(draft, 'assets'));
  writeFileSync(join(draft, '.sources'), wanted);
  putInPlace(draft);
}

function isBuiltFrom(wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** Once, here, instead of at every request. */
function compress(folder) {
  for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg)$/.test(file))) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

function putInPlace(draft) {
  const old = `${draft}-old`;
  if (existsSync(built)) renameSync(built, old);
  try {
    renameSync(draft, built);
  } catch {
    // Another process was quicker with the same sources.
    rmSync(draft, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf).sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesOf(path) {
  if (/\.(json|mjs)$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (/^(dist|node_modules)/.test(entry.name)) return [];
    const below = `${path}/${entry.name}`;
    return entry.isDirectory() ? filesOf(below) : [below];
  });
}

if (import.meta.filename === process.argv[1]) buildWebIfNeeded();
