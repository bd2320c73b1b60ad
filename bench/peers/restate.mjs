// Restate with its own server and log: a handler for each ask, which waits for an awakeable. Argument: a folder.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as restate from '@restatedev/restate-sdk';
import { resumed, serve } from './front.mjs';

const START_MS = 60_000;
const [handlerPort, ingressPort, adminPort, nodePort] = await Promise.all([1, 2, 3, 4].map(freePort));
const created = new Map();

const asking = restate.service({
  name: 'bench',
  handlers: {
    async ask(ctx, { key }) {
      const { id, promise } = ctx.awakeable();
      // Recorded before anyone can answer.
      await ctx.run('created', () => {});
      created.get(key)?.(id);
      created.delete(key);
      await promise;
      resumed(id);
    },
  },
});
restate.serve({ services: [asking], port: handlerPort, logger: () => {} });

const require = createRequire(import.meta.url);
const program = join(
  require.resolve('@restatedev/restate-server-linux-x64/package.json'),
  '..',
  'bin',
  'restate-server',
);
const local = (port) => `127.0.0.1:${port}`;
const server = spawn(program, ['--no-logo', '--listen-mode', 'tcp', '--base-dir', process.argv[2]], {
  env: {
    RESTATE_LOG_FILTER: 'error',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(nodePort),
    RESTATE_INGRESS__BIND_PORT: String(ingressPort),
    RESTATE_ADMIN__BIND_PORT: String(adminPort),
    DO_NOT_TRACK: '1',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
server.once('exit', (code) => process.exit(code ?? 1));
process.once('SIGTERM', () => server.kill('SIGKILL'));
await register();

let asks = 0;
serve({
  ask: (body) =>
    new Promise((resolve, reject) => {
      const key = ++asks;
      created.set(key, resolve);
      post(`http://${local(ingressPort)}/bench/ask/send`, JSON.stringify({ key, body })).catch(reject);
    }),
  answer: (id, body) => post(`http://${local(ingressPort)}/restate/awakeables/${id}/resolve`, body),
});

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}

async function register() {
  const before = Date.now() + START_MS;
  for (;;)
    try {
      return await post(
        `http://${local(adminPort)}/deployments`,
        JSON.stringify({ uri: `http://${local(handlerPort)}` }),
      );
    } catch (error) {
      if (Date.now() > before) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
