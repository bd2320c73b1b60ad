// Concurrent batches of approvals that overlap, and the agent's side, where two hundred identical calls have one effect.
import { describe, expect, it, vi } from 'vitest';
import type { AskView, RunView } from '../../src/core/views.ts';
import { seeded } from '../support/seeded-random.ts';
import { APPROVAL, answerOf, crowdForAll, type Person, QUESTION, statuses, type Told, winnerOf } from './crowd.ts';

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const crowd = crowdForAll();
const random = seeded('race-agents');

describe('two hundred batches of approvals', () => {
  it('decides every approval once, and each batch wholly or not at all', async () => {
    const run = await crowd.newRun();
    const asks = await Promise.all(
      Array.from({ length: 8 }, (_, i) => crowd.raise(run.run_id, { ...APPROVAL, tool_call_id: `batch-${i}` })),
    );
    const batches = crowd.people.map((person) => batchOf(asks, person));
    const told = await crowd.atOnce<Told>((_, i) => ({
      path: random.pick([
        `/v1/runs/${run.run_id}/approvals`,
        `/v1/sessions/${run.session_id}/approvals`,
        `/v1/sessions/${run.session_id}/approval-runs`,
      ]),
      body: { resolutions: batches[i] },
    }));
    const ended = new Map(
      (await crowd.read<AskView[]>(`/v1/asks?run_id=${run.run_id}`)).map((ask) => [ask.ask_id, ask] as const),
    );
    for (const [i, response] of told.entries()) {
      const name = crowd.people[i]?.name;
      const here = (batches[i] ?? []).map((resolution) => ended.get(resolution.request_id)?.answer);
      if (response.status < 300) expect(here.every((answer) => answer?.justification === name)).toBe(true);
      else expect(here.some((answer) => answer?.justification === name)).toBe(false);
      if (response.status === 409) expect(here.map(winnerOf)).toContainEqual(response.body.winner);
    }
    for (const [i, batch] of batches.entries())
      for (const { request_id, behavior } of batch)
        if (told[i] && told[i].status < 300) expect(ended.get(request_id)?.answer?.behavior).toBe(behavior);
    // A batch with an id that this run never raised is refused whole, whatever else is in it.
    for (const [i, batch] of batches.entries())
      if (batch.some((resolution) => resolution.request_id === 'ask_none')) expect(told[i]?.status).toBe(400);
    const accepted = told.filter((response) => response.status < 300).length;
    expect(accepted).toBeGreaterThanOrEqual(1);
    const claimed = await crowd.eventsOf(run.run_id, 'ask.claimed');
    expect(new Set(claimed.map((event) => event.ask_id)).size).toBe(claimed.length);
    expect(await crowd.eventsOf(run.run_id, 'approval_resolved')).toHaveLength(accepted);
  });

  it('gives two hundred identical responses to one batch under one key', async () => {
    const run = await crowd.newRun();
    const asks = await Promise.all(['x', 'y'].map((id) => crowd.raise(run.run_id, { ...APPROVAL, tool_call_id: id })));
    const resolutions = asks.map((ask) => ({ request_id: ask.ask_id, behavior: 'allow' }));
    const body = { resolutions, idempotency_key: 'batch' };
    const told = await crowd.atOnce(() => ({ path: `/v1/runs/${run.run_id}/approvals`, body }));
    expect(statuses(told)).toEqual({ 202: 200 });
    expect(new Set(told.map((response) => response.text)).size).toBe(1);
    expect(await crowd.eventsOf(run.run_id, 'ask.claimed')).toHaveLength(2);
  });
});

describe("the agent's side", () => {
  it('raises one ask for one tool call, however often it is raised', async () => {
    const run = await crowd.newRun();
    const body = { ...APPROVAL, tool_call_id: 'same call' };
    const told = await crowd.atOnce<AskView>(() => ({ path: `/v1/runs/${run.run_id}/asks`, body }));
    expect(statuses(told)).toEqual({ 201: 1, 200: 199 });
    expect(new Set(told.map((response) => response.body.ask_id)).size).toBe(1);
    expect(await crowd.eventsOf(run.run_id, 'ask.raised')).toHaveLength(1);
  });

  it('records one delivery, however often it is acknowledged', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'delivered' });
    await crowd.call({ path: `/v1/runs/${ask.run_id}/questions`, body: answerOf(ask, { selected_option_ids: ['a'] }) });
    const told = await crowd.atOnce<AskView>(() => ({ path: `/v1/asks/${ask.ask_id}/delivered`, body: {} }));
    expect(statuses(told)).toEqual({ 200: 200 });
    expect(new Set(told.map((response) => response.text)).size).toBe(1);
    expect(await crowd.eventsOf(ask.run_id, 'ask.delivered')).toHaveLength(1);
  });

  it('returns one answer to two hundred long polls', async () => {
    const ask = await raised({ ...QUESTION, tool_call_id: 'polled' });
    const polls = crowd.atOnce<AskView>(() => ({ path: `/v1/asks/${ask.ask_id}?wait_ms=60000` }));
    await crowd.call({ path: `/v1/runs/${ask.run_id}/questions`, body: answerOf(ask, { selected_option_ids: ['a'] }) });
    const told = await polls;
    expect(new Set(told.map((response) => response.text)).size).toBe(1);
    expect(told[0]?.body.status).toBe('answered');
  });

  it('starts one run under one key, and one session under one id', async () => {
    const sessions = await crowd.atOnce(() => ({
      path: '/v1/sessions',
      body: { session_id: 'made-by-many', agent: 'external' },
    }));
    expect(statuses(sessions)).toEqual({ 201: 1, 200: 199 });
    const told = await crowd.atOnce<RunView>(() => ({
      path: '/v1/sessions/made-by-many/runs',
      body: { input: { text: 'once' }, idempotency_key: 'run' },
    }));
    expect(statuses(told)).toEqual({ 202: 200 });
    expect(new Set(told.map((response) => response.text)).size).toBe(1);
    expect(await crowd.read<RunView[]>('/v1/runs?session_id=made-by-many')).toHaveLength(1);
  });

  it('hands each queued run to one worker', async () => {
    const sessions = Array.from({ length: 20 }, (_, i) => `claimed-${i}`);
    for (const session_id of sessions) {
      await crowd.call({ path: '/v1/sessions', body: { session_id, agent: 'raced' } });
      await crowd.call({ path: `/v1/sessions/${session_id}/runs`, body: { input: { text: 'work' } } });
    }
    const told = await crowd.atOnce<{ run: RunView }>((person) => ({
      path: '/v1/workers/claim',
      body: { worker_id: person.name, agents: [{ name: 'raced', recovery: 'none' }] },
    }));
    expect(statuses(told)).toEqual({ 200: 20, 204: 180 });
    const claimed = told.flatMap((response) => (response.status === 200 ? [response.body.run.run_id] : []));
    expect(new Set(claimed).size).toBe(20);
  });
});

async function raised(body: object): Promise<AskView> {
  return crowd.raise((await crowd.newRun()).run_id, body);
}

function batchOf(asks: readonly AskView[], person: Person) {
  const chosen = asks.filter(() => random.chance(0.3));
  const batch = chosen.length > 0 ? chosen : [random.pick(asks)];
  const ids = [...batch.map((ask) => ask.ask_id), ...(random.chance(0.1) ? ['ask_none'] : [])];
  return ids.map((request_id) => ({
    request_id,
    behavior: random.pick(['allow', 'deny'] as const),
    justification: person.name,
  }));
}
