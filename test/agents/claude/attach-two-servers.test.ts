// Two servers on one PostgreSQL, with the hook calls of one attached Claude Code spread over both: what is asked at one
// is answered there, and settled by what the other receives.
// Covers: src/agents/claude/attach.ts
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Holdpoint, startHoldpoint } from '../../support/process.ts';
import { postgresForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';
import { outcomes, RECORDED, replayHooks } from './hook-replay.ts';

const postgres = postgresForAll();
const SHARED = {
  HOLDPOINT_TOKEN: 'operator-of-both-servers',
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};
let servers: Holdpoint[];
let bed: TestBed;
beforeAll(async () => {
  const { url } = await postgres.database();
  const start = () => startHoldpoint({ via: 'main', env: { ...SHARED, HOLDPOINT_DATABASE_URL: url } });
  servers = await Promise.all([start(), start()]);
  bed = new TestBed(servers[0]?.url ?? '', SHARED.HOLDPOINT_TOKEN);
}, 180_000);

async function post(server: number, event: object, signal?: AbortSignal): Promise<object> {
  const headers = { authorization: `Bearer ${SHARED.HOLDPOINT_TOKEN}`, 'content-type': 'application/json' };
  const url = `${servers[server % 2]?.url}/v1/hooks/claude`;
  const call = { method: 'POST', headers, body: JSON.stringify(event), ...(signal && { signal }) };
  // What is closed by the test has no reply.
  const reply = await fetch(url, call).catch(() => undefined);
  return reply ? ((await reply.json()) as object) : {};
}

/** Which server receives the next event: called once for each, in order. */
type Spread = () => (event: { hook_event_name: string }) => number;

const SPREADS: Record<string, Spread> = {
  'strict alternation': () => {
    let n = 0;
    return () => n++;
  },
  'one server until the first request, then the other': () => {
    let hasAsked = false;
    return ({ hook_event_name }) => {
      if (hasAsked) return 1;
      hasAsked = hook_event_name === 'PermissionRequest';
      return 0;
    };
  },
  'requests at one server, all other events at the other': () => (event) =>
    event.hook_event_name === 'PermissionRequest' ? 0 : 1,
  ...Object.fromEntries([1, 2].map((seed) => [`at random (${seed})`, () => random(seed)])),
};

/** Numbers that look random and are the same in every run. */
function random(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state >> 16;
  };
}

describe.each(Object.entries(SPREADS))('recorded hook calls: %s', (_, spread) => {
  it.each(Object.entries(RECORDED))('%s ends as at one server', async (name, expected) => {
    const next = spread();
    const asks = await replayHooks(bed, name, (event, signal) => post(next(event), event, signal), randomUUID());
    const ended = await outcomes(bed, asks);
    // A server that did not receive the PreToolUse cannot name the ask after its call.
    expect(ended.map(([, ...rest]) => rest)).toEqual(expected.map(([, ...rest]) => rest));
  });
});

const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x', description: 'd' } };
const ALLOWED = { hookSpecificOutput: { decision: { behavior: 'allow' } } };

function conversation() {
  const base = { session_id: randomUUID(), transcript_path: '/t', cwd: '/project', permission_mode: 'default' };
  const tell = (server: number, hook_event_name: string, more: object = {}) =>
    post(server, { ...base, hook_event_name, ...more });
  return { session: `claude.${base.session_id}`, tell };
}

it('an ask of one sub-agent stays open when the other server receives a call of another sub-agent', async () => {
  const { session, tell } = conversation();
  const [one, two] = [
    { agent_id: 'a1', agent_type: 'reviewer' },
    { agent_id: 'a2', agent_type: 'reviewer' },
  ];
  await tell(0, 'PreToolUse', { ...BASH, ...one, tool_use_id: 'toolu_1' });
  const first = tell(0, 'PermissionRequest', { ...BASH, ...one });
  await bed.pending(session);
  await tell(1, 'PreToolUse', { ...BASH, ...two, tool_use_id: 'toolu_2' });
  const second = tell(1, 'PermissionRequest', { ...BASH, ...two });
  const asks = await bed.pending(session, 2);
  expect(new Set(asks.map(({ run_id }) => run_id)).size).toBe(1);
  // The turn of the session itself ends at one server, the sub-agents end at the other.
  await tell(0, 'Stop');
  for (const ask of asks) await bed.decide(ask, { behavior: 'allow' });
  expect(await Promise.all([first, second])).toMatchObject([ALLOWED, ALLOWED]);
  await tell(1, 'PostToolUse', { ...BASH, ...one, tool_use_id: 'toolu_1' });
  await tell(0, 'PostToolUse', { ...BASH, ...two, tool_use_id: 'toolu_2' });
  for (const agent of [one, two]) await tell(1, 'SubagentStop', agent);
  const { items } = await bed.api.asks.list({ session_id: session });
  expect(items.map(({ delivery }) => delivery.state)).toEqual(['delivered', 'delivered']);
  expect(await bed.over(asks[0]?.run_id ?? '')).toMatchObject({ status: 'completed' });
});

it('requests that reach both servers at the same moment share one run', async () => {
  const { session, tell } = conversation();
  const asked = [0, 1, 2, 3].map((n) => tell(n, 'PermissionRequest', { ...BASH, agent_id: `a${n}` }));
  const asks = await bed.pending(session, 4);
  expect(new Set(asks.map(({ run_id }) => run_id)).size).toBe(1);
  for (const ask of asks) await bed.decide(ask, { behavior: 'allow' });
  expect(await Promise.all(asked)).toMatchObject([ALLOWED, ALLOWED, ALLOWED, ALLOWED]);
  await tell(1, 'SessionEnd');
  expect((await bed.api.runs.list({ session_id: session })).items.filter(({ status }) => status === 'queued')).toEqual(
    [],
  );
});
