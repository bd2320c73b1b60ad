// Measures what Holdpoint adds between an answer and the agent's next model request, compared with answering OpenCode directly:
// two real OpenCode servers side by side, one hosted by Holdpoint, asked and answered in turns. `node bench/opencode-latency.ts
// [cycles]` needs the binaries of `npm run test:agents`. Prints medians in milliseconds; its figures are never assertions.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi, USER } from '../src/agents/opencode/api.ts';
import { PermissionAsked, type Request } from '../src/agents/opencode/protocol.ts';
import { on, route } from '../src/agents/wire/json-rpc.ts';
import { opencode as binary } from '../test/agents/real/binaries.ts';
import { Model } from '../test/agents/real/model.ts';
import { opencodeEnvironment } from '../test/agents/real/opencode-test-bed.ts';
import { endEverything, startHoldpoint } from '../test/support/process.ts';
import { TestBed } from '../test/support/test-bed.ts';

const CYCLES = Number(process.argv[2] ?? 40);
const WARM_UP = 5;
const PASSWORD = 'bench';
const PERMISSION = { permission: { bash: 'ask' } };

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A conversation in which the model calls `true` again and again, and tells when it was asked for more. */
function converse(model: Model, key: string) {
  let arrived = Promise.withResolvers<number>();
  let calls = 0;
  const step = () => {
    arrived.resolve(performance.now());
    arrived = Promise.withResolvers();
    calls += 1;
    return [{ tool: 'bash', input: { command: 'true', description: 'd' }, id: `call_${key}_${calls}` }];
  };
  model.play([step], key);
  return { nextRequest: () => arrived.promise };
}

async function direct(root: string, model: Model) {
  mkdirSync(root);
  const env = { ...opencodeEnvironment(root, model.url, PERMISSION), OPENCODE_SERVER_PASSWORD: PASSWORD };
  const child = spawn(binary as string, ['serve', '--hostname', '127.0.0.1', '--port', '0'], { cwd: root, env });
  const url = await new Promise<string>((resolve) => {
    child.stdout.on('data', (text) => {
      const found = /listening on (\S+)/.exec(String(text))?.[1];
      if (found) resolve(found);
    });
  });
  const over = new AbortController();
  const api = createApi({ url, user: USER, password: PASSWORD, signal: over.signal });
  const { nextRequest } = converse(model, 'key-direct');
  const { id } = await api.createSession(root, 'bench');
  // Whoever answers OpenCode follows its events: that is how a request is known.
  let asked = Promise.withResolvers<Request>();
  const receive = route(
    on('permission.asked', PermissionAsked, ({ directory, ...permission }) =>
      asked.resolve({ kind: 'permission', directory, asked: permission }),
    ),
  );
  api.events(receive).catch(() => {});
  await api.prompt(root, id, { parts: [{ type: 'text', text: 'key-direct' }] });
  return {
    async cycle(): Promise<number> {
      const request = await asked.promise;
      asked = Promise.withResolvers();
      await sleep(150);
      const next = nextRequest();
      const sentAt = performance.now();
      await api.replyTo(request, { reply: 'once' });
      return (await next) - sentAt;
    },
    async close() {
      over.abort();
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

async function throughHoldpoint(root: string, model: Model) {
  mkdirSync(root);
  const { url, token } = await startHoldpoint({ via: 'main', env: opencodeEnvironment(root, model.url, PERMISSION) });
  const bed = new TestBed(url, token);
  const { nextRequest } = converse(model, 'key-holdpoint');
  const { session_id } = await bed.api.sessions.create({ agent: 'opencode', work_folder: root });
  await bed.api.runs.start(session_id, { input: { text: 'key-holdpoint' } });
  return {
    async cycle(): Promise<number> {
      const [ask] = await bed.pending(session_id);
      if (!ask) throw new Error('nothing is pending');
      await sleep(150);
      const next = nextRequest();
      const sentAt = performance.now();
      await bed.decide(ask, { behavior: 'allow' });
      return (await next) - sentAt;
    },
  };
}

if (!binary) throw new Error('OpenCode is not installed: run `npm run test:agents` once');
const root = mkdtempSync(join(tmpdir(), 'holdpoint-latency-'));
const model = await Model.start();
const one = await direct(join(root, 'direct'), model);
const other = await throughHoldpoint(join(root, 'holdpoint'), model);
const times: { direct: number[]; holdpoint: number[] } = { direct: [], holdpoint: [] };
for (let i = 0; i < WARM_UP + CYCLES; i++) {
  const pair = [await one.cycle(), await other.cycle()] as const;
  if (i < WARM_UP) continue;
  times.direct.push(pair[0]);
  times.holdpoint.push(pair[1]);
}
const added = times.holdpoint.map((ms, i) => ms - (times.direct[i] ?? 0));
const shown = { direct: median(times.direct), holdpoint: median(times.holdpoint), added: median(added) };
console.log(`answer to next model request, median of ${CYCLES}, ms:`, shown);
await one.close();
await endEverything();
model.close();
rmSync(root, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);
