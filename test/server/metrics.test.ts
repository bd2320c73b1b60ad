// What Prometheus scrapes after a request was seen, answered and delivered, and that the dashboard, the rules and promtool
// agree with it; at the end a real Prometheus scrapes a server with them. It is Debian's package prometheus; what needs it or its
// promtool is skipped where it is missing.
// Covers: src/server/ask-metrics.ts, src/server/request-durations.ts, src/server/system-reader.ts
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { allow, answer, decide, held, ok, raiseApproval } from '../support/api-calls.ts';
import { freePort } from '../support/postgres.ts';
import { root, temporaryFolder } from '../support/process.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const deploy = join(root, 'deploy');
const promtool = (args: string[], input?: string) =>
  spawnSync('promtool', args, { cwd: join(deploy, 'prometheus'), encoding: 'utf8', ...(input && { input }) });
const isMissing = promtool(['--version']).error !== undefined;

let scraped = '';
const scrape = async () => {
  scraped = (await server.get<string>('/metrics')).text;
};
const metric = (series: string) =>
  Number(
    scraped
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );

beforeAll(async () => {
  const first = await held(server);
  server.advance(20_000);
  await server.post(`/v1/asks/${first.ask.ask_id}/seen`);
  server.advance(20_000);
  await ok(answer(server, first));
  server.advance(2_000);
  await ok(server.post(`/v1/asks/${first.ask.ask_id}/delivered`));
  const approval = await raiseApproval(server, first.runId);
  await ok(decide(server, first.runId, allow(approval.ask_id)));
  server.advance(30_000);
  await held(server);
  server.advance(90_000);
  await vi.waitFor(async () => {
    await scrape();
    expect(metric('holdpoint_asks_raised_total{kind="question"}')).toBe(2);
  });
});

it('counts asks by kind and outcome, and times each step of the way', () => {
  expect(metric('holdpoint_asks_raised_total{kind="approval"}')).toBe(1);
  expect(metric('holdpoint_asks_ended_total{kind="question",outcome="answered",decided_by="person"}')).toBe(1);
  expect(metric('holdpoint_asks_ended_total{kind="approval",outcome="allow",decided_by="person"}')).toBe(1);
  expect(metric('holdpoint_asks_ended_total{kind="approval",outcome="expired",decided_by="system"}')).toBe(0);
  const buckets = (name: string, ...limits: number[]) =>
    limits.map((le) => metric(`${name}_bucket{le="${le}",kind="question"}`));
  expect(buckets('holdpoint_ask_seen_seconds', 15, 30)).toEqual([0, 1]);
  expect(buckets('holdpoint_ask_answer_seconds', 30, 60)).toEqual([0, 1]);
  expect(buckets('holdpoint_ask_delivery_seconds', 1, 5)).toEqual([0, 1]);
});

it('reports what is open, how old it is, and what runs', () => {
  expect(metric('holdpoint_asks_pending')).toBe(1);
  expect(metric('holdpoint_deliveries_due')).toBe(1);
  expect(metric('holdpoint_oldest_pending_ask_seconds')).toBeGreaterThanOrEqual(90);
  expect(metric('holdpoint_oldest_due_delivery_seconds')).toBeGreaterThanOrEqual(120);
  expect(metric(`holdpoint_build_info{version="0.0.0-test",node="${process.versions.node}"}`)).toBe(1);
});

it('times requests by route, and no long polls', async () => {
  await server.get('/v1/asks?limit=1');
  await server.get('/v1/asks/ask_nope?wait_ms=1');
  await scrape();
  const durations = 'holdpoint_http_request_duration_seconds';
  expect(metric(`${durations}_bucket{le="+Inf",method="GET",route="/v1/asks"}`)).toBe(1);
  expect(metric(`${durations}_count{method="GET",route="/v1/asks"}`)).toBe(1);
  expect(scraped).not.toContain(`${durations}_count{method="GET",route="/v1/asks/:ask_id"}`);
});

it('times an ask that was raised before a restart', async () => {
  const before = await held(server);
  server.advance(60_000);
  await server.restart();
  await ok(answer(server, before));
  await expect
    .poll(async () => {
      await scrape();
      return metric('holdpoint_ask_answer_seconds_bucket{le="300",kind="question"}');
    })
    .toBe(1);
  expect(metric('holdpoint_ask_answer_seconds_bucket{le="60",kind="question"}')).toBe(0);
});

it('counts an expiry in the series that began at 0', async () => {
  const expired = 'holdpoint_asks_ended_total{kind="question",outcome="expired",decided_by="system"}';
  await scrape();
  expect(metric(expired)).toBe(0);
  await held(server, { expires_after_ms: 60_000 });
  server.advance(61_000);
  await expect
    .poll(async () => {
      await scrape();
      return metric(expired);
    })
    .toBe(1);
});

it('has no series for what callers choose: names, paths and methods', async () => {
  const series = async () => {
    await scrape();
    const lines = scraped.split('\n').filter((line) => line.startsWith('holdpoint_'));
    return lines.map((line) => line.slice(0, line.lastIndexOf(' '))).sort();
  };
  const visit = async (word: string) => {
    const { session_id } = (await server.post<{ session_id: string }>('/v1/sessions', { agent: word, title: word }))
      .body;
    const { run_id } = (
      await server.post<{ run_id: string }>(`/v1/sessions/${session_id}/runs`, { input: { text: word } })
    ).body;
    await server.post(`/v1/runs/${run_id}/asks`, { kind: 'approval', tool_call_id: word, tool_name: word, input: {} });
    await server.get(`/${word}/${word}`);
    await server.get(`/v1/asks/${word}?q=${word}`);
    return series();
  };
  const before = await visit('one');
  expect(await visit('two')).toEqual(before);
});

describe('the dashboard and the rules', () => {
  /** Only with a pool of connections. */
  const POSTGRES = ['holdpoint_database_connections'];
  const dashboard = readFileSync(join(deploy, 'grafana', 'holdpoint.json'), 'utf8');
  const texts = [dashboard, readFileSync(join(deploy, 'prometheus', 'rules.yaml'), 'utf8')];
  const queriesOf = (text: string): string[] => {
    const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replace('$__rate_interval', '5m')));
  };

  it('use only metrics that the server has', () => {
    const names = new Set(texts.join().match(/\b(?:holdpoint|process|nodejs)_[a-z0-9_]+(?=\{)/g));
    const known = new Set([...scraped.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const family = (name: string) => (known.has(name) ? name : name.replace(/_bucket$/, ''));
    expect([...names].filter((name) => !known.has(family(name)))).toEqual(POSTGRES);
    expect(names.size).toBeGreaterThan(15);
  });

  it.skipIf(isMissing)('are accepted by promtool, and every alert fires on what it is for', () => {
    const rules = queriesOf(dashboard).map((expr, i) => ({ record: `query:${i}`, expr }));
    const asRules = join(server.folder, 'dashboard.yaml');
    writeFileSync(asRules, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool(['check', 'rules', asRules])).toMatchObject({ status: 0 });
    expect(promtool(['check', 'rules', 'rules.yaml'])).toMatchObject({ status: 0 });
    expect(promtool(['test', 'rules', 'rules.test.yaml'])).toMatchObject({ status: 0 });
    expect(promtool(['check', 'config', '--syntax-only', 'prometheus.yaml'])).toMatchObject({ status: 0 });
  });

  it.skipIf(isMissing)('promtool finds nothing to remark in what the server exposes', () => {
    expect(promtool(['check', 'metrics'], scraped)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it.skipIf(isMissing)(
    'let a real Prometheus scrape the server by address, load the rules and answer every panel',
    async () => {
      const folder = temporaryFolder();
      const { token } = await server.makeToken('viewer');
      writeFileSync(join(folder, 'holdpoint.token'), token, { mode: 0o600 });
      copyFileSync(join(deploy, 'prometheus', 'rules.yaml'), join(folder, 'rules.yaml'));
      const config = readFileSync(join(deploy, 'prometheus', 'prometheus.yaml'), 'utf8')
        .replace('127.0.0.1:4777', new URL(await server.url()).host)
        .replace('scrape_interval: 15s', 'scrape_interval: 1s');
      writeFileSync(join(folder, 'prometheus.yaml'), config);
      const address = `127.0.0.1:${await freePort()}`;
      const files = [`--config.file=${join(folder, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
      const prometheus = spawn('prometheus', [...files, `--web.listen-address=${address}`], { stdio: 'ignore' });
      onTestFinished(() => void prometheus.kill('SIGKILL'));
      const ask = async <T>(path: string): Promise<T> => {
        const reply = await fetch(`http://${address}/api/v1/${path}`).catch(() => undefined);
        return ((await reply?.json().catch(() => undefined)) as { data?: T } | undefined)?.data as T;
      };
      const target = async () => (await ask<{ activeTargets: object[] }>('targets'))?.activeTargets[0];
      await expect.poll(target, { timeout: 60_000 }).toMatchObject({ health: 'up', lastError: '' });
      const { groups } = await ask<{ groups: { rules: { name: string }[] }[] }>('rules');
      expect(groups.flatMap(({ rules }) => rules.map(({ name }) => name))).toContain('HoldpointAskWaitsLong');
      const instant = (query: string) => ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(query)}`);
      expect((await instant('holdpoint_build_info{job="holdpoint"}')).result).toHaveLength(1);
      for (const query of queriesOf(dashboard))
        expect(await instant(query.replaceAll('$job', 'holdpoint')), query).toMatchObject({ resultType: 'vector' });
    },
    120_000,
  );
});
