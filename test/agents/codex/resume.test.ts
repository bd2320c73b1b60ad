// A managed Codex whose process or worker is lost: an answer that it may have had is reported again and allows nothing, it
// is restarted a limited number of times, and a run ends only when the server has recorded what reached Codex.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codex } from '../../../src/agents/codex/agent.ts';
import type { RunView } from '../../../src/core/views.ts';
import { leaderOf } from '../../support/process-leader.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';

const server = serverForAll();
const root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-process-'));
const before = { ...process.env };
let bed: TestBed;
beforeAll(async () => {
  const program = join(import.meta.dirname, '..', '..', 'support', 'stand-in-codex.mjs');
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'codex'), `#!/bin/sh\nexec "${process.execPath}" "${program}"\n`, { mode: 0o755 });
  process.env.PATH = [join(root, 'bin'), before.PATH].join(delimiter);
  bed = new TestBed(await server.url(), server.token);
  await bed.worker({ agents: [codex] });
});
afterAll(async () => {
  await bed.close();
  process.env = before;
  rmSync(root, { recursive: true, force: true });
});

async function start(fate: 'dies' | 'completes', session: object = {}): Promise<RunView> {
  process.env.CODEX_FATE = fate;
  process.env.CODEX_HEARD = join(mkdtempSync(join(root, 'heard-')), 'heard.jsonl');
  const { session_id } = await bed.api.sessions.create({ agent: 'codex', work_folder: root, ...session });
  return bed.api.runs.start(session_id, { input: { text: 'Do this', approval_policy: 'on-request' } });
}
const heard = (what: string): string[] =>
  readFileSync(process.env.CODEX_HEARD as string, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string])
    .flatMap(([kind, text]) => (kind === what ? [text] : []));

it('asks again after the process died on an answer, instead of allowing it twice', async () => {
  const run = await start('dies');
  const [ask] = await bed.pending(run.session_id);
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  const [anew] = await bed.until(async () => {
    const { items } = await bed.api.asks.list({ session_id: run.session_id, status: 'pending' });
    return items.some(({ ask_id }) => ask_id !== ask?.ask_id) || heard('answered').length > 1 ? items : undefined;
  });
  expect(anew?.request).toMatchObject({ input: { command: 'touch a.txt' } });
  expect(heard('answered')).toEqual(['accept']);
  expect(heard('told').at(-1)).toContain('you may or may not have acted on it');
  await bed.api.runs.cancel(run.run_id, {});
});

it('fails a run whose process dies on every answer', async () => {
  const run = await start('dies', { permissions: 'autonomous' });
  const over = await bed.over(run.run_id);
  expect(over).toMatchObject({ status: 'failed', outcome: 'provider-failed' });
  expect(over.error).toContain('exit code 7');
  expect(heard('answered')).toHaveLength(4);
  expect((await bed.api.asks.list({ run_id: run.run_id, delivery: 'due' })).items).toEqual([]);
});

/** A worker for sessions with this label, behind a proxy that hands acknowledgements to `onAcknowledge`. */
async function workerBehindProxy(label: string, onAcknowledge: (pass: () => void) => void) {
  const { hostname, port } = new URL(bed.url);
  let isCut = false;
  const proxy = createServer((asked, reply) => {
    if (isCut) return void asked.socket.destroy();
    const pass = () => {
      const { url: path, method, headers } = asked;
      const on = httpRequest({ hostname, port, path, method, headers }, (response) => {
        reply.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(reply);
      });
      on.on('error', () => reply.destroy());
      asked.pipe(on);
    };
    if (asked.url?.endsWith('/delivered')) onAcknowledge(pass);
    else pass();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const far = new TestBed(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, server.token);
  await far.worker({ agents: [codex], labels: [label], leaseMs: 5000 });
  return {
    cut() {
      isCut = true;
      proxy.closeAllConnections();
    },
    async close() {
      await far.close();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

it('ends a run only after the server has recorded its answer as delivered', async () => {
  const worker = await workerBehindProxy('late', (pass) => setTimeout(pass, 300));
  const run = await start('completes', { labels: ['late'] });
  const [ask] = await bed.pending(run.session_id);
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect((await bed.api.asks.get(ask?.ask_id ?? '')).delivery.state).toBe('delivered');
  await worker.close();
});

it('uses an approval once when the worker is lost before the server has recorded its reuse', async () => {
  let lost = 0;
  const worker = await workerBehindProxy('lost', () => {
    lost += 1;
  });
  const run = await start('completes', { labels: ['lost'] });
  const [ask] = await bed.pending(run.session_id);
  process.kill(leaderOf(run.run_id), 'SIGKILL');
  await bed.until(async () => (await bed.events(run.session_id, 'run.released')).at(0));
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  // One for the resume message, one for the approval that it reuses.
  await bed.until(async () => (lost >= 2 || heard('answered').length > 0 ? true : undefined));
  worker.cut();
  await bed.worker({ agents: [codex], labels: ['lost'] });
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(heard('answered')).toEqual(['accept']);
  expect((await bed.api.asks.list({ run_id: run.run_id })).items).toMatchObject([{ delivery: { state: 'delivered' } }]);
  await worker.close();
});
