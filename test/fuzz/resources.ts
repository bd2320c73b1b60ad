// `npm run fuzz:resources -- --seconds N`: one hostile token of each kind tries to make an ordinary operator's
// `GET /v1/asks` slower than 250 ms at the 99th percentile, or the server larger than 1 GiB. The server has a heap of
// 512 MiB. Prints the figures; exits 1 when the tokens succeeded.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Attack, attacks, type Call } from './resource-attacks.ts';

const SLOWEST_MS = 250;
const LARGEST_BYTES = 1024 ** 3;
const HEAP_MIB = 512;
/** Some calls wait for an answer that does not come. */
const PATIENCE_MS = 5000;
const TOKEN = 'an operator of the resource fuzz run';
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '300' }, only: { type: 'string' } } });

const print = (line: string) => process.stdout.write(`${line}\n`);
const data = mkdtempSync(join(tmpdir(), 'holdpoint-resources-'));
const { server, url } = await startServer();
const until = Date.now() + Number(values.seconds) * 1000;
const isOver = () => Date.now() >= until || server.exitCode !== null;
const took: number[] = [];
let largest = 0;

/** A reply is read to its end, unless the attack leaves it unread. */
const callAs =
  (token: string): Call =>
  (method, path, body, options = {}) =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...options.headers };
      const request = http.request(`${url}${path}`, { method, headers, agent: options.unread ? false : undefined });
      request.on('error', () => resolve({ status: 0, text: '' }));
      request.on('response', (response) => {
        if (options.unread) {
          response.on('error', () => {});
          return resolve({ status: response.statusCode ?? 0, text: '' });
        }
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', () => resolve({ status: 0, text: '' }));
      });
      request.end(
        body === undefined
          ? undefined
          : typeof body === 'string' || Buffer.isBuffer(body)
            ? body
            : JSON.stringify(body),
      );
    });

const operator = callAs(TOKEN);
const hostile = (await attacks(operator, callAs)).filter(
  ({ kind }) => values.only === undefined || values.only === kind,
);
for (const { kind, names } of hostile) print(`${kind}: ${names.join(', ')}`);
const refused = new Map<string, number>();
await Promise.all([measure(), ...hostile.map((attack) => run(attack))]);
const succeeded = report();
server.kill('SIGKILL');
rmSync(data, { recursive: true, force: true });
process.exit(succeeded ? 1 : 0);

async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const args = [
    `--max-old-space-size=${HEAP_MIB}`,
    'src/cli/main.ts',
    'serve',
    '--no-worker',
    '--port',
    '0',
    '--data',
    data,
  ];
  const env = { ...process.env, HOLDPOINT_TOKEN: TOKEN };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ready = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (part) => {
      said += part;
      const address = /holdpoint ready (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error('the server did not start')));
  });
  return { server: child, url: ready };
}

function nothing(): Promise<{ status: number }> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, { status: -1 }).unref());
}

async function run({ kind, step, width }: Attack): Promise<void> {
  const loop = async () => {
    while (!isOver()) {
      const { status } = await Promise.race([step(), nothing()]);
      if (status === 429) refused.set(kind, (refused.get(kind) ?? 0) + 1);
      if (status === 429 || status === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(Array.from({ length: width }, loop));
}

function measure(): Promise<void> {
  const thread = new Worker(new URL('resource-operator.ts', import.meta.url), {
    workerData: { url, token: TOKEN, until },
  });
  thread.on('message', (ms: number) => {
    took.push(ms);
    largest = Math.max(largest, residentBytes());
  });
  return new Promise((resolve) => thread.once('exit', () => resolve()));
}

function residentBytes(): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function report(): boolean {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  print(`requests of the operator: ${took.length}`);
  print(
    `ms: p50 ${at(0.5).toFixed(1)}, p95 ${at(0.95).toFixed(1)}, p99 ${at(0.99).toFixed(1)}, max ${at(1).toFixed(1)}`,
  );
  print(`largest resident size: ${(largest / 1024 ** 2).toFixed(0)} MiB`);
  for (const [kind, count] of refused) print(`refused ${kind}: ${count}`);
  const isDead = server.exitCode !== null || server.signalCode !== null;
  if (isDead) print('the server has ended');
  const succeeded = isDead || at(0.99) > SLOWEST_MS || largest > LARGEST_BYTES;
  print(succeeded ? 'FAIL: the hostile tokens succeeded' : 'PASS: the hostile tokens did not succeed');
  return succeeded;
}
