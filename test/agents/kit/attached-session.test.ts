// A conversation with a person's own agent as a session: what is decided once decides once, and every title fits.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endLost, openAttachedRun, unsettledAsksOf } from '../../../src/agents/kit/attached-session.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';

const server = serverForAll();
let bed: TestBed;
let client: Client;
let waits: Waits;
beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
  client = createClient({ url: bed.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
});
afterAll(() => waits.close());

const never = new AbortController().signal;
const PLACE = 'at=here';
const ATTACHED = { agent: 'codex', sessionPrefix: 'codex-own-' };
const open = (id: string, title = 'make x', label = PLACE) =>
  openAttachedRun(client, waits, { ...ATTACHED, id, folder: '/project', title, label }, { id: 'turn' }, never);

it('an approval that has reached the agent decides no other call of the same id, also after a restart', async () => {
  const id = randomUUID();
  const call = { id: 'call_0', tool_name: 'shell', input: { command: 'rm -r x' } };
  const asked = (await open(id)).approve(call);
  const [ask] = await bed.pending(`codex-own-${id}`);
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  expect(await asked).toMatchObject({ allowed: true });
  await expect((await open(id)).approve(call)).rejects.toThrow('another call has the id call_0');
});

it('a title and a prompt that are too long, or no well-formed text, are cut to what the server takes', async () => {
  const { session, run } = await open(randomUUID(), `a\0${'x'.repeat(197)}😀${'語'.repeat(900_000)}`);
  expect(session.title).toBe(`a␀${'x'.repeat(197)}…`);
  expect(run.status).toBe('running');
});

it('a message to it that answers nothing is refused', async () => {
  const { session } = await open(randomUUID());
  await expect(bed.api.sessions.say(session.session_id, { text: 'go on' })).rejects.toThrow('Type it there');
});

it('a turn whose run was ended here goes on in another, also when it has a new title', async () => {
  const id = randomUUID();
  const first = await open(id);
  expect((await open(id, 'another title')).run.run_id).toBe(first.run.run_id);
  await bed.api.runs.cancel(first.run.run_id, { reason: 'not here' });
  const second = await open(id);
  expect(second.run.run_id).not.toBe(first.run.run_id);
  expect(second.run.status).toBe('running');
  expect((await open(id)).run.run_id).toBe(second.run.run_id);
});

it('what its agent left open ends with it, and nothing of another place or of a session that only has such a name', async () => {
  const run = await open(randomUUID());
  const approval = (tool_call_id: string) =>
    ({ kind: 'approval', tool_call_id, tool_name: 'Bash', input: { command: tool_call_id } }) as const;
  const pending = await client.asks.raise(run.run.run_id, approval('pending'));
  const due = await client.asks.raise(run.run.run_id, approval('due'));
  await bed.decide(due, { behavior: 'allow' });
  const elsewhere = await open(randomUUID(), 'make y', 'at=elsewhere');
  const others = await client.asks.raise(elsewhere.run.run_id, approval('others'));
  const named = { session_id: `codex-own-${randomUUID()}`, agent: 'external', agent_id: 'codex' };
  const { session_id } = await bed.api.sessions.create(named);
  const { run_id } = await bed.api.runs.start(session_id, { input: {} });
  const own = await bed.api.asks.raise(run_id, approval('own'));
  const unsettled = await unsettledAsksOf(client, { ...ATTACHED, label: PLACE });
  expect(unsettled.map(({ ask_id }) => ask_id)).toEqual([pending.ask_id, due.ask_id]);
  await endLost(client, unsettled, 'codex is gone', { error: 'codex is gone' });
  const gone = { state: 'undeliverable', reason: 'codex is gone' };
  expect(await client.asks.get(pending.ask_id)).toMatchObject({ status: 'failed', delivery: gone });
  expect(await client.asks.get(due.ask_id)).toMatchObject({ status: 'answered', delivery: gone });
  expect(await client.asks.get(own.ask_id)).toMatchObject({ status: 'pending' });
  expect(await client.asks.get(others.ask_id)).toMatchObject({ status: 'pending' });
  const id = session_id.slice('codex-own-'.length);
  await expect(open(id)).rejects.toThrow('was made for something else');
});
