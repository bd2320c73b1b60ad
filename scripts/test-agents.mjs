// `npm run test:agents`: installs the real agents that the tests in test/agents run, where that is possible, and runs
// those tests. What could not be installed is reported as skipped by Vitest, never as passed. Arguments go to Vitest.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { missingAgents } from './agents-installed.mjs';
import { installIfNeeded } from './install.mjs';
import { requireNode, root } from './node.mjs';
import { runVitest } from './vitest.mjs';

const folder = join(root, 'test', 'agents');
const stamp = join(folder, 'node_modules', '.holdpoint-install');

await installIfNeeded();
const node = requireNode();
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
installAgents();
const { passed, failed, skipped } = runVitest(node, env, process.argv.slice(2), [
  '--config',
  'vitest.agents.config.ts',
]);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

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
