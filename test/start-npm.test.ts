// `npm start` run by npm itself: hosted agents see the environment of the person who typed it, not that of npm.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { root, temporaryFolder } from './support/process.ts';

let npm: ChildProcess | undefined;
let isUp = async (): Promise<boolean> => false;
afterAll(async () => {
  if (npm?.pid === undefined || npm.exitCode !== null) return;
  process.kill(-npm.pid, 'SIGTERM');
  while (await isUp()) await sleep(50);
});

/** What a shell sets by itself. */
const OF_SHELLS = ['_', 'PWD', 'OLDPWD', 'SHLVL'];
const plain = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OF_SHELLS.includes(name)));

it('gives hosted agents no variable, program or Node of npm', { timeout: 180_000 }, async () => {
  const data = temporaryFolder();
  const ours = /^(npm_|HOLDPOINT_|VITEST|INIT_CWD$|NODE$|COLOR$|EDITOR$|VISUAL$)/;
  const own = Object.entries(process.env).filter(([name]) => !ours.test(name));
  // Somebody may have such a folder themselves.
  const isOfNpm = (folder: string) => folder.includes('node_modules');
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !isOfNpm(folder));
  const PATH = [...folders, join(root, 'node_modules', '.bin')].join(':');
  const person = { ...Object.fromEntries(own), PATH, EDITOR: 'ed', NPM_CONFIG_FUND: 'false' };
  const settings = { HOLDPOINT_DATA: data, HOLDPOINT_PORT: '0', HOLDPOINT_LOG: 'error' };
  const env = { ...person, ...settings };
  npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    npm?.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    npm?.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const ready = /^holdpoint ready (\S+)$/m.exec(text)?.[1];
      if (ready) resolve(ready);
    });
  });
  const client = createClient({ url, token: readFileSync(join(data, 'operator.token'), 'utf8').trim(), retryForMs: 0 });
  isUp = () =>
    client.system.health().then(
      () => true,
      () => false,
    );
  const session = await client.sessions.create({ agent: 'exec', work_folder: data });
  const show = ['sh', '-c', 'env -0 | base64 -w0; echo; node --version'];
  const { run_id } = await client.runs.start(session.session_id, { input: { command: show } });
  await expect.poll(async () => (await client.runs.get(run_id)).status, { timeout: 60_000 }).toBe('completed');
  const said = (await client.runs.get(run_id)).outputs.map(({ text }) => text).join('\n');
  const [, encoded = '', version] = /^([A-Za-z0-9+/=]{100,})\n(v\S+)/m.exec(said) ?? [];
  const seen = Buffer.from(encoded, 'base64').toString().split('\0').filter(Boolean);
  const pairs = seen.map((pair): [string, string] => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ]);
  const theirs = pairs.filter(([name]) => !/^(HOLDPOINT_|AGORA_|WEGENT_|TASK_API_DOMAIN$)/.test(name));
  expect(plain(Object.fromEntries(theirs))).toEqual(plain(person));
  const theirNode = execFileSync('node', ['--version'], { env: person, encoding: 'utf8' }).trim();
  expect(version).toBe(theirNode);
});
