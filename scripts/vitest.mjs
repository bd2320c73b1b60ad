// Runs Vitest for `npm test` and `npm run test:agents`, and counts. Files with failed tests run once more, on their own:
// what passes then is named as unstable, so that it is repaired, and does not stop a change that has nothing to do with it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './node.mjs';

const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** With more failed files than these, the change itself is at fault. */
const MOST_REPEATED = 4;

/** The counts of all tests as `{ passed, failed, skipped }`. */
export function runVitest(node, env, args, config = []) {
  const first = runOnce(node, env, [...config, ...args]);
  const failedFiles = [...first.files].filter(([, { failed }]) => failed.length > 0).map(([name]) => name);
  if (failedFiles.length === 0 || failedFiles.length > MOST_REPEATED) return counts(first);
  console.log(`— ${failedFiles.length} test files with failures run once more`);
  const second = runOnce(node, env, [...config, ...failedFiles]);
  for (const name of failedFiles) {
    const still = second.files.get(name)?.failed ?? [];
    const unstable = first.files.get(name).failed.filter((title) => !still.includes(title));
    for (const title of unstable) console.log(`Unstable, failed once: ${title}`);
  }
  return counts({ files: new Map([...first.files, ...second.files]), ok: second.ok });
}

/** Errors outside any test, or a run without a report, are one failure. */
function counts({ files, ok }) {
  const sum = (number) => [...files.values()].reduce((total, file) => total + number(file), 0);
  const failed = sum((file) => file.failed.length);
  return {
    passed: sum((file) => file.passed),
    failed: ok ? failed : Math.max(1, failed),
    skipped: sum((file) => file.skipped),
  };
}

function runOnce(node, env, args) {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-test-'));
  const report = join(folder, 'report.json');
  try {
    const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { status } = spawnSync(node, [VITEST, ...options, ...args], { cwd: root, env, stdio: 'inherit' });
    return { ok: status === 0, files: filesOf(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesOf(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return new Map();
  }
  return new Map(results.map((file) => [file.name, countsOf(file)]));
}

function countsOf({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
  return {
    passed: assertionResults.filter((test) => test.status === 'passed').length,
    // A file that could not be loaded has no failed test of its own.
    failed: status === 'failed' && failed.length === 0 ? [name] : failed,
    skipped: assertionResults.filter((test) => !['passed', 'failed'].includes(test.status)).length,
  };
}
