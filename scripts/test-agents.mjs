// `npm run test:agents`: installs the real agents that the tests in test/agents run, where that is possible, and runs
// those tests. What could not be installed is reported as skipped by Vitest, never as passed. Arguments go to Vitest.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { requireNode, root } from './node.mjs';

const folder = join(root, 'test', 'agents');
const stamp = join(folder, 'node_modules', '.holdpoint-install');

await installIfNeeded();
installAgents();
const node = requireNode();
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--config', 'vitest.agents.config.ts', ...process.argv.slice(2)];
process.exitCode = spawnSync(node, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;

/** A few hundred megabytes, once for each version. */
function installAgents() {
  const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing the agents (some hundred megabytes)…');
  const options = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', options, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) writeFileSync(stamp, wanted);
  else console.error('The agents could not be installed: their tests are skipped.');
}
