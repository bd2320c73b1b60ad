// Insights: how long people took, by time, agent, tool, outcome and surface, over asks raised in a period; and the agents
// that can be given work.
// Covers: src/core/insight.ts, src/gateway/insights.ts, src/server/worker-presence.ts, src/core/agent-description.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InsightsView } from '../../../src/core/insight.ts';
import type { AgentView } from '../../../src/core/views.ts';
import { held, ok, refusal, resolution } from '../../support/api-calls.ts';
import { openServer, type Server } from '../../support/server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let server: Server;
let began: number;

beforeAll(async () => {
  server = await openServer();
  began = server.now();
  const question = await held(server);
  const attached = { agent_id: 'claude', project_ids: ['shop'] };
  const approval = await held(server, { kind: 'approval', tool_name: 'Bash' }, attached);
  const refused = await held(server, { kind: 'approval', tool_name: 'Edit' });
  const lost = await held(server, { expires_after_ms: 10 * MINUTE });
  server.advance(3 * MINUTE);
  const web = { headers: { 'holdpoint-surface': 'web' } };
  await ok(server.post(`/v1/runs/${question.runId}/questions`, resolution(question.ask.ask_id), web));
  server.advance(4 * MINUTE);
  const decide = (h: typeof approval, behavior: string) =>
    server.post(`/v1/runs/${h.runId}/approvals`, { resolutions: [{ request_id: h.ask.ask_id, behavior }] });
  await ok(decide(approval, 'allow'));
  await ok(decide(refused, 'deny'));
  server.advance(4 * MINUTE);
  await ok(server.get(`/v1/asks/${lost.ask.ask_id}`));
  server.advance(2 * DAY);
  const late = await held(server, { kind: 'approval', tool_name: 'Bash' });
  await ok(decide(late, 'allow'));
  await held(server);
});
afterAll(() => server.close());

const show = (query = '', token?: string) =>
  server.get<InsightsView>(`/v1/insights${query}`, token === undefined ? {} : { token });
const counts = (named: { name: string; count: number }[]) => Object.fromEntries(named.map((n) => [n.name, n.count]));

describe('insights', () => {
  it('counts ended asks and how long people took', async () => {
    const seen = await ok(show());
    expect(seen).toMatchObject({ ended: 5, answered_by_people: 4, is_complete: true });
    expect(seen.to_ms - seen.from_ms).toBe(30 * DAY);
    expect(counts(seen.by_tool)).toEqual({ question: 2, Bash: 2, Edit: 1 });
    expect(counts(seen.by_outcome)).toEqual({ answered: 1, allowed: 2, denied: 1, expired: 1 });
    expect(counts(seen.by_surface)).toEqual({ web: 1, api: 3, system: 1 });
    expect(counts(seen.by_decider)).toEqual({ people: 4, nobody: 1 });
    expect(counts(seen.by_agent)).toEqual({ external: 4, claude: 1 });
    expect(counts(seen.by_person)).toEqual({ operator: 4 });
    expect(counts(seen.by_project)).toEqual({ shop: 1, 'no project': 4 });
    expect(seen.lost_ms).toBeGreaterThanOrEqual((3 + 7 + 7 + 10) * MINUTE);
    expect(seen.by_agent.find(({ name }) => name === 'claude')?.lost_ms).toBeGreaterThanOrEqual(7 * MINUTE);
    const sums = (rows: { count: number }[]) => rows.reduce((sum, row) => sum + row.count, 0);
    expect(sums(seen.histogram)).toBe(4);
    expect(seen.waits.p99_ms).toBeGreaterThanOrEqual(7 * MINUTE);
    expect(seen.waits.p99_ms).toBeLessThan(8 * MINUTE);
    expect(seen.waits.p50_ms).toBeGreaterThanOrEqual(3 * MINUTE);
    const bucket = seen.histogram.find(({ up_to_ms }) => up_to_ms === 15 * MINUTE);
    expect(bucket?.count).toBe(2);
  });

  it('returns periods without gaps', async () => {
    const seen = await ok(show(`?from=${began - DAY}&to=${server.now() + 1}`));
    expect(seen.over_time.reduce((sum, slot) => sum + slot.ended, 0)).toBe(5);
    seen.over_time.forEach((slot, i) => {
      expect(slot.start_ms).toBe(seen.from_ms + i * seen.interval_ms);
    });
    expect(seen.over_time.filter((slot) => slot.ended > 0)).toHaveLength(2);
  });

  it('includes only asks raised in the period', async () => {
    expect((await ok(show(`?from=${began}&to=${began + DAY}`))).ended).toBe(4);
    expect((await ok(show(`?from=${began + DAY}`))).ended).toBe(1);
    expect((await ok(show(`?from=${began - DAY}&to=${began}`))).ended).toBe(0);
  });

  it('refuses an invalid period', async () => {
    await refusal(show(`?from=${began + 1}&to=${began}`), 400, 'invalid_request');
    await refusal(show('?from=0'), 400, 'invalid_request');
    await refusal(show('?from=-1'), 400, 'invalid_request');
    await refusal(show('?from=x'), 400, 'invalid_request');
    await refusal(show('?since=1'), 400, 'invalid_request');
  });

  it('refuses agents and workers', async () => {
    const { token: viewer } = await server.makeToken('viewer');
    await ok(show('', viewer));
    const { token: worker } = await server.makeToken('worker');
    await refusal(show('', worker), 403, 'scope_forbidden');
  });
});

describe('agents', () => {
  const list = () => ok(server.get<AgentView[]>('/v1/agents'));
  const claim = (worker_id: string, names: string[], labels: string[] = []) =>
    ok(
      server.post('/v1/workers/claim', {
        worker_id,
        labels,
        agents: names.map((name) => ({ name, recovery: 'none' })),
      }),
    );

  it('lists an agent while a worker hosts it, and a while after', async () => {
    expect(await list()).toEqual([]);
    await claim('w1', ['mock', 'exec'], ['os=linux', 'gpu']);
    await claim('w2', ['mock']);
    await claim('w3', ['mock']);
    const at = server.now();
    const shown = await list();
    expect(shown.map(({ name, workers, labels }) => [name, workers, labels])).toEqual([
      ['exec', 1, [['gpu', 'os=linux']]],
      ['mock', 3, [['gpu', 'os=linux'], []]],
    ]);
    expect(shown[0]?.seen_at_ms).toBeLessThanOrEqual(at);
    server.advance(91_000);
    expect(await list()).toEqual([]);
  });
});
