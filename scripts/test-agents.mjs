// `npm run test:agents`: installs the real agents that the tests in test/agents run, where that is possible, and runs
// those tests. What could not be installed is reported as skipped by Vitest, never as passed; a process that is left running
// is a failure. Arguments go to Vitest.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { missingAgents } from './agents-installed.mjs';
import { installIfNeeded } from './install.mjs';
import { leftRunning } from './left-running.mjs';
import { requireNode, root } from './node.mjs';
import { runVitest } from './vitest.mjs';

const folder = join(root, 'test', 'agents');
const stamp = join(folder, 'node_modules', '.holdpoint-install');

await installIfNeeded();
const node = requireNode();
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
installAgents();
// Short: the sockets of agents are in folders below it, and the path of a socket is.
const scratch = mkdtempSync(join(tmpdir(), 'hp-'));
// PostgreSQL runs under an account of its own where the tests run as root, and opens files below it.
chmodSync(scratch, 0o711);
const inScratch = { ...env, TMPDIR: scratch };
const { passed, failed, skipped } = runVitest(node, inScratch, process.argv.slice(2), [
  '--config',
  'vitest.agents.config.ts',
]);
const left = leftRunning(scratch);
if (left.length > 0) console.error(`Still running after the tests:\n${left.join('\n')}`);
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
console.log(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}, ${left.length} left running`,
);
process.exitCode = failed > 0 || left.length > 0 ? 1 : 0;

/** A few hundred megabytes, once for each version; what could not be had is tried again the next time. */
function installAgents() {
  const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isCurrent && missingAgents(folder).length === 0) return;
  console.error('Installing the agents (some hundred megabytes)…');
  const options = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  // With the Node of the tests: npm leaves out an optional package that wants a newer one than it runs on itself.
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', options, { cwd: folder, env, stdio: 'inherit', shell });
  const missing = missingAgents(folder);
  if (status === 0 && missing.length === 0) return writeFileSync(stamp, wanted);
  rmSync(stamp, { force: true });
  const which = missing.length === 0 ? 'The agents' : missing.join(', ');
  console.error(`${which} could not be installed: what needs them is skipped, and tried again the next time.`);
}
