// `npm run fuzz:resources -- --seconds N [--only KIND] [--profile FOLDER]`: one hostile token of each kind tries to make an ordinary operator's
// `GET /v1/asks` slower than 250 ms at the 99th percentile, or the server larger than 1 GiB. The server has a heap of
// 512 MiB. Prints the figures, beside those of the same operator before the attack and the longest block of the server's
// event loop, which a busy machine distorts less; exits 1 when the tokens succeeded.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
const CALM_MS = 10_000;
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '300' }, only: { type: 'string' }, profile: { type: 'string' } },
});

const print = (line: string) => process.stdout.write(`${line}\n`);
const data = mkdtempSync(join(tmpdir(), 'holdpoint-resources-'));
const { server, url } = await startServer();
const blocked: number[] = [];
let cpuMs = 0;
server.on('message', (said: { blockedMs: number; cpuMs: number }) => {
  blocked.push(said.blockedMs);
  cpuMs = said.cpuMs;
});
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
const calm = await measure(Date.now() + CALM_MS);
blocked.length = 0;
const cpuMsBefore = cpuMs;
const until = Date.now() + Number(values.seconds) * 1000;
const isOver = () => Date.now() >= until || server.exitCode !== null;
const [took] = await Promise.all([measure(until), ...hostile.map((attack) => run(attack))]);
const succeeded = report();
await endServer();
rmSync(data, { recursive: true, force: true });
process.exit(succeeded ? 1 : 0);

async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const args = [
    `--max-old-space-size=${HEAP_MIB}`,
    ...(values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]),
    '--import',
    new URL('resource-loop-delay.ts', import.meta.url).href,
    'src/cli/main.ts',
    'serve',
    '--no-worker',
    '--port',
    '0',
    '--data',
    data,
  ];
  const env = { ...process.env, HOLDPOINT_TOKEN: TOKEN };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
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

/** A server that is killed writes no profile. */
async function endServer(): Promise<void> {
  if (values.profile === undefined) return void server.kill('SIGKILL');
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
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

/** How long each look of the operator took. */
function measure(end: number): Promise<number[]> {
  const looks: number[] = [];
  const thread = new Worker(new URL('resource-operator.ts', import.meta.url), {
    workerData: { url, token: TOKEN, until: end },
  });
  thread.on('message', (ms: number) => {
    looks.push(ms);
    largest = Math.max(largest, residentBytes());
  });
  return new Promise((resolve) => thread.once('exit', () => resolve(looks)));
}

function residentBytes(): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function report(): boolean {
  print(`requests of the operator: ${took.length}`);
  print(`before the attack: ${figures(calm)}`);
  print(`under attack:      ${figures(took)}; p99 is ${(at(took, 0.99) / at(calm, 0.99)).toFixed(1)} times as long`);
  print(`event loop blocked, longest of each quarter second: ${figures(blocked)}`);
  print(
    `processor time of the server: ${((cpuMs - cpuMsBefore) / 10 / Number(values.seconds)).toFixed(0)} % of a core`,
  );
  print(`largest resident size: ${(largest / 1024 ** 2).toFixed(0)} MiB`);
  for (const [kind, count] of refused) print(`refused ${kind}: ${count}`);
  const isDead = server.exitCode !== null || server.signalCode !== null;
  if (isDead) print('the server has ended');
  const succeeded = isDead || at(took, 0.99) > SLOWEST_MS || largest > LARGEST_BYTES;
  print(succeeded ? 'FAIL: the hostile tokens succeeded' : 'PASS: the hostile tokens did not succeed');
  return succeeded;
}

function at(all: readonly number[], share: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function figures(all: readonly number[]): string {
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((share) => at(all, share).toFixed(1));
  return `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, max ${max} ms`;
}
