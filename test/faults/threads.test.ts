// kill -9 of the server while people post to threads: every acknowledged post is in the thread once and was worked on once, as
// the answer of one ask or in the input of one run; nothing else is doubled.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { AskView, ItemView, RunView, SessionView } from '../../src/core/views.ts';
import { endEverything } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { Phoenix } from './phoenix.ts';

const SESSIONS = ['north', 'south'];
const POSTERS = ['lead', 'mate'];
const POSTS = 15;
const KILLS = 6;

afterAll(endEverything);

it('loses no post and works on none twice', async () => {
  const random = seeded('threads');
  const server = await Phoenix.rise();
  const people = new Map<string, string>();
  for (const name of POSTERS) {
    const made = await server.call<{ token: string }>({
      path: '/v1/tokens',
      body: { scope: 'operator', name },
      headers: { 'idempotency-key': name },
    });
    people.set(name, made.body.token);
  }
  for (const session_id of SESSIONS)
    await server.call({ path: '/v1/sessions', body: { session_id, agent: 'external' } });
  let isOver = false;
  const agents = SESSIONS.map((id) => work(server, id, () => isOver));
  const posting = Promise.all(
    SESSIONS.flatMap((id) => POSTERS.map((name) => postAll(server, id, name, people.get(name)))),
  );
  for (let kill = 0; kill < KILLS; kill++) {
    await server.nthChange(random.int(1, 25), 2000);
    await sleep(random.int(0, 4));
    await server.kill();
    server.spawn();
    await server.up();
  }
  const posted = (await posting).flat();
  isOver = true;
  await Promise.all(agents);
  for (const id of SESSIONS)
    await check(
      server,
      id,
      posted.filter((item) => item.thread_id === `thr_${id}`),
    );
  expect(server.defects).toEqual([]);
  expect(posted.filter((item) => item.ask_id !== undefined).length).toBeGreaterThan(2);
  expect(posted.filter((item) => item.ask_id === undefined).length).toBeGreaterThan(2);
  await server.kill();
}, 300_000);

/** An agent that asks something in every run, takes the answer, and is done; until nothing is left to do. */
async function work(server: Phoenix, id: string, isOver: () => boolean): Promise<void> {
  for (let turn = 0; ; turn++) {
    const session = await server.read<SessionView>(`/v1/sessions/${id}`);
    const runId = session.active_run_id;
    if (runId === undefined) {
      if (isOver()) return;
      await sleep(5);
      continue;
    }
    const questions = [{ id: 'q', question: `Turn ${turn}?` }];
    const raise = {
      path: `/v1/runs/${runId}/asks`,
      body: { kind: 'question', tool_call_id: `call-${turn}`, questions },
    };
    const ask = (await server.call<AskView>(raise)).body;
    for (let now = ask; !isOver(); now = await server.read<AskView>(`/v1/asks/${ask.ask_id}?wait_ms=500`))
      if (now.status !== 'pending') break;
    if ((await server.read<AskView>(`/v1/asks/${ask.ask_id}`)).status === 'pending') {
      await server.call({ path: `/v1/runs/${runId}/cancel`, body: {} });
      continue;
    }
    await server.call({ path: `/v1/asks/${ask.ask_id}/delivered`, body: {} });
    await server.call({ path: `/v1/runs/${runId}/complete`, body: {} });
  }
}

/** A post that comes while the last answer is still on its way is for the next run, and names who answered. */
async function postAll(server: Phoenix, id: string, name: string, token: string | undefined): Promise<ItemView[]> {
  const posted: ItemView[] = [];
  for (let n = 0; posted.length < POSTS; n++) {
    const text = `${name} ${n}`;
    const body = { content: [{ type: 'text', text }] };
    const headers = { 'idempotency-key': `${id} ${text}` };
    const reply = await server.call<ItemView>({ path: `/v1/threads/thr_${id}/items`, body, token, headers });
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    const { winner: _, ...item } = reply.body;
    posted.push(item);
    await sleep(5);
  }
  return posted;
}

const textOf = (item: ItemView | undefined): string => (item?.content[0] as { text?: string } | undefined)?.text ?? '';

async function check(server: Phoenix, id: string, posted: readonly ItemView[]): Promise<void> {
  const items: ItemView[] = [];
  for (let cursor = ''; ; ) {
    const page = await server.call<ItemView[]>({ path: `/v1/threads/thr_${id}/items?limit=500${cursor}` });
    items.push(...page.body);
    if (page.headers.link === undefined) break;
    cursor = `&cursor=${page.headers['holdpoint-cursor']}`;
  }
  const said = items.filter((item) => item.author.role === 'user');
  const byId = new Map(said.map((item) => [item.item_id, item]));
  expect(byId.size).toBe(said.length);
  expect(new Set(said.map(textOf)).size, 'nothing is posted twice').toBe(said.length);
  expect([...said].sort(order)).toEqual([...posted].sort(order));

  const runs = await server.read<RunView[]>(`/v1/runs?session_id=${id}&limit=500`);
  const worked: string[] = [];
  for (const { run_id } of runs) {
    const input = await server.read<{ text: string; item_ids: string[] }>(`/v1/runs/${run_id}/input`);
    expect(input.text).toBe(input.item_ids.map((itemId) => textOf(byId.get(itemId))).join('\n\n'));
    worked.push(...input.item_ids);
  }
  const inputs = said.filter((item) => item.ask_id === undefined).map((item) => item.item_id);
  expect(worked.sort()).toEqual(inputs.sort());

  const asks = await server.read<AskView[]>(`/v1/asks?session_id=${id}&status=answered&limit=500`);
  const answers = said.flatMap(({ ask_id, ...item }) =>
    ask_id === undefined ? [] : [[ask_id, textOf(item as ItemView)]],
  );
  const given = asks.map(({ ask_id, answer }) => [ask_id, answer?.answers?.[0]?.freeform_answer]);
  expect(answers.sort()).toEqual(given.sort());
  expect(asks.every((ask) => ask.delivery.state === 'delivered')).toBe(true);
}

const order = (a: ItemView, b: ItemView): number => (a.item_id < b.item_id ? -1 : 1);
