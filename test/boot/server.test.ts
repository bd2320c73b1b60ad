// The worker that is built into the server: through kill -9 with asks open, and behind TLS; and a worker elsewhere while its
// server restarts.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import { isInTheClear } from '../../src/boot/server.ts';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import { endEverything, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { BASH, TestBed, WHICH } from '../support/test-bed.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(endEverything);

const script = (mode: 'blocking' | 'deferred'): Step[] => [
  { do: 'say', text: 'before' },
  { do: 'ask', id: 'q', mode, questions: [WHICH] },
  { do: 'approve', id: 'p', mode, ...BASH },
  { do: 'complete', text: 'heard {{q}} and {{p}}' },
];
const first = async (bed: TestBed, sessionId: string) => (await bed.pending(sessionId))[0] as AskView;
const portOf = (url: string) => new URL(url).port;

describe.each(['blocking', 'deferred'] as const)('the built-in worker, %s', (mode) => {
  it('hosts an agent through two kill -9 of its server and delivers each answer once', async () => {
    let server = await startHoldpoint();
    let bed = new TestBed(server.url, server.token);
    const run = await bed.play(script(mode));
    const question = await first(bed, run.session_id);
    const again = async () => {
      await server.end('SIGKILL');
      server = await startHoldpoint({ data: server.data, args: ['--port', portOf(server.url)] });
      bed = new TestBed(server.url, server.token);
    };
    await again();
    await bed.answer(question, { question_id: 'which', selected_option_ids: ['a'] });
    const approval = await bed.until(async () => {
      const ask = await first(bed, run.session_id);
      return ask.kind === 'approval' ? ask : undefined;
    });
    await bed.decide(approval, { behavior: 'allow' });
    await again();
    const ended = await bed.over(run.run_id);
    expect(ended.status).toBe('completed');
    expect(ended.outputs.map((o) => o.text)).toEqual([
      'before',
      'q: answered: Apples',
      'p: answered: allowed {"command":"npm install"}',
      'heard Apples and allowed {"command":"npm install"}',
    ]);
    expect(await bed.events(run.session_id, 'ask.delivered')).toHaveLength(2);
    await server.end('SIGTERM');
  });
});

it('keeps the wait of a separate worker while its server restarts', async () => {
  let server = await startHoldpoint({ args: ['--no-worker'] });
  const bed = new TestBed(server.url, server.token);
  const worker = await bed.worker();
  const runs = [await bed.play(script('blocking')), await bed.play(script('blocking'))];
  const asks = [await first(bed, runs[0]?.session_id ?? ''), await first(bed, runs[1]?.session_id ?? '')];
  await server.end('SIGTERM');
  server = await startHoldpoint({ data: server.data, args: ['--no-worker', '--port', portOf(server.url)] });
  for (const ask of asks) await bed.answer(ask, { question_id: 'which', selected_option_ids: ['b'] });
  for (const run of runs) {
    await bed.decide(await first(bed, run.session_id), { behavior: 'deny', reason: 'no' });
    const ended = await bed.over(run.run_id);
    expect(bed.heard(ended)).toEqual(['q: answered: Bread', 'p: answered: no']);
    const types = (await bed.events(run.session_id)).map((e) => e.type);
    expect(types.filter((t) => t === 'started')).toHaveLength(1);
    expect(types).not.toContain('run.recovered');
  }
  await worker.stop();
  await server.end('SIGTERM');
});

const openssl = spawnSync('openssl', ['version']).status === 0;

it.skipIf(!openssl)('connects the built-in worker over loopback when the server has TLS (needs openssl)', async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', ['req', ...made, '-days', '2', '-subj', '/CN=127.0.0.1'], { stdio: 'ignore' });
  const server = await startHoldpoint({ args: ['--tls-cert', cert, '--tls-key', key] });
  expect(server.url).toMatch(/^https:/);
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    const options = { method: body ? 'POST' : 'GET', headers, rejectUnauthorized: false, agent: false };
    const [response] = (await once(
      request(server.url + path, options).end(body && JSON.stringify(body)),
      'response',
    )) as [IncomingMessage];
    return (await json(response)) as T;
  };
  const { session_id } = await call<SessionView>('/v1/sessions', { agent: 'mock' });
  const script: Step[] = [{ do: 'say', text: 'through' }];
  const { run_id } = await call<RunView>(`/v1/sessions/${session_id}/runs`, { input: { script } });
  const isOver = async () => {
    const run = await call<RunView>(`/v1/runs/${run_id}`);
    return run.status === 'completed' ? run : undefined;
  };
  const run = await new TestBed(server.url, server.token).until(isOver);
  expect(run.outputs.map((o) => o.text)).toEqual(['through']);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

describe('finding 25: a connection to PostgreSQL without TLS', () => {
  it.each([
    ['postgres://u:p@db.example/holdpoint', true],
    ['postgres://u:p@10.0.0.5:5432/holdpoint?sslmode=disable', true],
    ['postgres://u:p@db.example/holdpoint?sslmode=verify-full', false],
    ['postgres://u:p@db.example/holdpoint?sslmode=require', false],
    ['postgres://u:p@db.example/holdpoint?ssl=true', false],
    ['postgres://u:p@127.0.0.1/holdpoint', false],
    ['postgres://u:p@localhost/holdpoint', false],
    ['postgres://u:p@[::1]/holdpoint', false],
    ['postgres:///holdpoint?host=/var/run/postgresql', false],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/holdpoint', false],
  ])('is warned about only where it leaves the machine: %s → %s', (address, isWarned) => {
    expect(isInTheClear(address)).toBe(isWarned);
  });
});
