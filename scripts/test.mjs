// `npm test`: installs what is needed, then checks types, lint, unused code and every test, all on Node >= 24.
// Arguments go to Vitest: `npm test -- test/core` runs a part. A failing step does not hide the ones after it.
// The last line is `N passed, M failed[, K skipped]`; a failed check counts as one failure. Exits 1 on any.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildWebIfNeeded } from './build-web.mjs';
import { installIfNeeded } from './install.mjs';
import { requireNode, root } from './node.mjs';
import { runVitest } from './vitest.mjs';

const CHECKS = [
  ['types', 'typescript', 'tsc', '--noEmit'],
  ['types of the page', 'typescript', 'tsc', '--noEmit', '-p', 'web'],
  ['types of its tests', 'typescript', 'tsc', '--noEmit', '-p', join('test', 'browser')],
  ['lint and format', '@biomejs/biome', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused code', 'knip', 'knip', '--no-progress'],
];

await installIfNeeded();
buildWebIfNeeded();
const node = requireNode();
// Whatever a test starts by the name `node` is this one too.
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };

spawnSync(node, [join(root, 'test', 'browser', 'install.ts')], { cwd: root, env, stdio: 'inherit' });
const failedChecks = await runChecks();
const tests = runTests(process.argv.slice(2));
if (failedChecks.length > 0) console.log(`Failed checks: ${failedChecks.join(', ')}`);

const failed = tests.failed + failedChecks.length;
console.log(`${tests.passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

/** Side by side; each is told of as a whole when it ends. Resolves to the titles of those that failed. */
async function runChecks() {
  const results = await Promise.all(
    CHECKS.map(async ([title, ...command]) => {
      const startedAt = Date.now();
      const { status, output } = await collected(spawn(...commandOf(...command), { cwd: root, env }));
      console.log(`${output}${verdict(title, status, startedAt)}`);
      return { title, status };
    }),
  );
  return results.filter(({ status }) => status !== 0).map(({ title }) => title);
}

function collected(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}

function runTests(args) {
  const startedAt = Date.now();
  const counted = runVitest(node, env, args);
  console.log(verdict('tests', counted.failed, startedAt));
  return counted;
}

function commandOf(packageName, bin, ...args) {
  const folder = join(root, 'node_modules', packageName);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [node, [join(folder, manifest.bin[bin]), ...args]];
}

function verdict(title, status, startedAt) {
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  return `— ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`;
}
