// Twenty sessions of five kinds of agents at once, in one worker: each agent gets the answers to its own asks, and no other.
// Covers: src/agents/registry.ts
import { delimiter } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { type AgentFixture, appendTo } from '../conformance/agent.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';
import { plannedAgents } from './planned-fixture.ts';

const EACH = 4;
const fixtures = Object.values(plannedAgents());
let server: Holdpoint;
let bed: TestBed;

beforeAll(async () => {
  const opened = await Promise.all(fixtures.map((fixture) => fixture.open()));
  const PATH = opened
    .map(({ env }) => env.PATH)
    .filter(Boolean)
    .join(delimiter);
  server = await startHoldpoint({ via: 'main', args: [], env: { PATH } });
  bed = new TestBed(server.url, server.token);
});
afterAll(async () => {
  await endEverything();
  for (const fixture of fixtures) await fixture.close();
});

async function start(fixture: AgentFixture, i: number) {
  const name = `${fixture.agent}-${i}`;
  const [yes, no] = [`yes-${name}`, `no-${name}`];
  const call = (file: string) => ({ id: `call_${file}`, command: appendTo(file) });
  const prepared = await fixture.prepare([[call(yes), call(no)]]);
  const { folder, input } = prepared;
  const session = await bed.api.sessions.create({ agent: fixture.agent, ...(folder && { work_folder: folder }) });
  const run = await bed.api.runs.start(session.session_id, { input });
  return { fixture, name, yes, no, prepared, run, reason: `because of ${name}.` };
}

it('keeps the answers of twenty concurrent sessions of mixed agents apart', async () => {
  const indexes = Array.from({ length: EACH }, (_, i) => i);
  const started = await Promise.all(indexes.flatMap((i) => fixtures.map((fixture) => start(fixture, i))));
  expect(started).toHaveLength(20);
  const asked = await Promise.all(
    started.map(async ({ run, no, reason }) => {
      const asks = await bed.pending(run.session_id, 2);
      return asks.map((ask: AskView) => ({ ask, reason, isDenied: JSON.stringify(ask.request).includes(no) }));
    }),
  );
  // All forty are open at the same time; they are answered in an order that mixes the sessions.
  const open = asked.flat().sort((a, b) => (a.ask.ask_id < b.ask.ask_id ? -1 : 1));
  expect(open).toHaveLength(40);
  await Promise.all(
    open.map(({ ask, isDenied, reason }) =>
      bed.decide(ask, isDenied ? { behavior: 'deny', reason } : { behavior: 'allow' }),
    ),
  );
  for (const { run, fixture, prepared, yes, no, reason, name } of started) {
    const over = await bed.over(run.run_id);
    expect(over, name).toMatchObject({ status: 'completed' });
    expect([await fixture.timesRun(yes, over, prepared), await fixture.timesRun(no, over, prepared)], name).toEqual([
      1, 0,
    ]);
    const received = await fixture.received(over, prepared);
    const heard = started.filter((other) => received.includes(other.reason)).map((other) => other.name);
    expect(heard, name).toEqual([name]);
    expect(received).toContain(reason);
  }
});
