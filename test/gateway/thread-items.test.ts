// A thread as pages and as a stream: the same items in the same order, from any cursor.
// Covers: src/server/routes/threads.ts
import { describe, expect, it } from 'vitest';
import type { ItemView } from '../../src/core/views.ts';
import {
  allow,
  decide,
  type Held,
  held,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  startRun,
} from '../support/api-calls.ts';
import type { Reply } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { openStream, type Stream } from '../support/stream.ts';
import { chat, itemsOf, pathOf, post, short } from '../support/thread.ts';

const server = serverForAll();

const delivered = (askId: string) => ok(server.post(`/v1/asks/${askId}/delivered`));
const say = (runId: string, text: string, more = {}) => ok(server.post(`/v1/runs/${runId}/output`, { text, ...more }));
const itemsIn = (stream: Stream): ItemView[] => stream.frames.map((frame) => JSON.parse(frame.data));
const follow = (h: Held, cursor?: string) =>
  openStream(server, pathOf(h.sessionId), cursor === undefined ? {} : { headers: { 'last-event-id': cursor } });

/** Two runs, prompts answered and not, several at once, things said meanwhile, posts. */
async function story(): Promise<Held> {
  const h = await held(server);
  await say(h.runId, 'thinking of it', { type: 'thinking' });
  await ok(post(server, h.sessionId, '1'));
  await say(h.runId, 'still here');
  const [b, c] = [await raiseApproval(server, h.runId), await raiseQuestion(server, h.runId)];
  await ok(post(server, h.sessionId, '1'));
  await delivered(h.ask.ask_id);
  await ok(post(server, h.sessionId, 'no'));
  await delivered(b.ask_id);
  await say(h.runId, 'last words');
  await ok(post(server, h.sessionId, 'Local'));
  await delivered(c.ask_id);
  await ok(post(server, h.sessionId, 'and this'));
  await ok(server.post(`/v1/runs/${h.runId}/complete`, { text: 'done' }));
  const { run_id } = await startRun(server, h.sessionId);
  await ok(server.post(`/v1/runs/${run_id}/cancel`));
  return h;
}
const STORY = [
  '? Which provider?',
  'operator: 1',
  'operator: 1',
  '! ✓ Answered: OpenAI',
  'thinking of it',
  'still here',
  '? Bash: rm -rf build',
  'operator: no',
  '! ✓ Answered: Deny',
  '? Which provider?',
  'operator: Local',
  '! ✓ Answered: Local',
  'last words',
  'operator: and this',
  'done',
  'end completed',
  'operator: fix the build',
  'end cancelled',
];

it('shows the items of people and agents in order, each once, and none between a prompt and its end', async () => {
  const h = await story();
  expect(await chat(server, h.sessionId)).toEqual(STORY);
  const types = (await itemsOf(server, h.sessionId)).map(({ metadata }) => metadata?.type ?? '-');
  expect(types.slice(0, 6)).toEqual(['pending_prompt', '-', '-', 'pending_prompt_resolved', 'thinking', 'text']);
});

it('shows no output of an agent as another type of item', async () => {
  const h = await held(server, { kind: 'approval' });
  await ok(decide(server, h.runId, allow(h.ask.ask_id)));
  await delivered(h.ask.ask_id);
  await say(h.runId, '❓ Approve?', { type: 'pending_prompt', data: { prompt: { prompt_id: 'x' } } });
  await say(h.runId, 'ls', { type: 'tool_call', data: { tool: { name: 'Bash' } } });
  const [fake, call] = (await itemsOf(server, h.sessionId)).slice(-2);
  expect(fake?.metadata).toMatchObject({ type: 'text' });
  expect(fake?.metadata?.prompt).toBeUndefined();
  expect(call?.metadata).toMatchObject({ type: 'tool_call', data: { tool: { name: 'Bash' } } });
});

it('shows the last message of a run once, also when it repeats an output', async () => {
  const { sessionId, runId, ask } = await held(server);
  await ok(post(server, sessionId, '1'));
  await delivered(ask.ask_id);
  await say(runId, 'done');
  await ok(server.post(`/v1/runs/${runId}/complete`, { text: 'done' }));
  const next = await startRun(server, sessionId);
  await ok(server.post(`/v1/runs/${next.run_id}/complete`, { text: 'done' }));
  expect((await chat(server, sessionId)).slice(3)).toEqual([
    'done',
    'end completed',
    'operator: fix the build',
    'done',
    'end completed',
  ]);
});

describe('pages', () => {
  it.each([1, 2, 3, 5, 17, 18, 500])('returns all items once in pages of %i', async (limit) => {
    const h = await story();
    const all = await itemsOf(server, h.sessionId);
    const seen: ItemView[] = [];
    let path: string | undefined = `${pathOf(h.sessionId)}?limit=${limit}`;
    for (let pages = 0; path !== undefined; pages++) {
      expect(pages).toBeLessThan(STORY.length);
      const { body, headers }: Reply<ItemView[]> = await server.get<ItemView[]>(path);
      expect(body.length).toBeLessThanOrEqual(limit);
      seen.push(...body);
      path = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
    }
    expect(seen).toEqual(all);
  });

  it('continues after the last page when items were added', async () => {
    const h = await held(server);
    const { headers } = await server.get(pathOf(h.sessionId));
    await ok(post(server, h.sessionId, '1'));
    await delivered(h.ask.ask_id);
    const rest = await ok(server.get<ItemView[]>(`${pathOf(h.sessionId)}?cursor=${headers['holdpoint-cursor']}`));
    expect(rest.map(short)).toEqual(['operator: 1', '! ✓ Answered: OpenAI']);
  });

  it('does not show an overdue prompt as open', async () => {
    const h = await held(server, { kind: 'approval', expires_after_ms: 40 });
    server.advance(50);
    expect(await chat(server, h.sessionId)).toEqual(['? Bash: rm -rf build', '! ✗ Cancelled: expired']);
  });

  it('reads no event before the last quiet one of the cursor', async () => {
    const h = await story();
    for (let n = 0; n < 30; n++) await ok(post(server, h.sessionId, `post ${n}`));
    const { headers } = await server.get(`${pathOf(h.sessionId)}?limit=40`);
    const [quiet = 0, seq = 0] = String(headers['holdpoint-cursor']).split('.').map(Number);
    expect(seq - quiet).toBeLessThanOrEqual(2);
  });

  it.each(['x', '1.2', '5.1.1', '1.2.3.4', '-1.0.0', 'p12'])(
    'refuses a cursor that the server did not issue: %s',
    async (cursor) => {
      const h = await held(server);
      await refusal(server.get(`${pathOf(h.sessionId)}?cursor=${cursor}`), 400, 'invalid_cursor');
    },
  );

  it('refuses an unknown thread', async () => {
    await refusal(server.get(pathOf('nobody')), 404, 'thread_not_found');
    await refusal(server.get('/v1/threads/nobody/items'), 404, 'thread_not_found');
  });
});

describe('a stream', () => {
  it('begins with all items and continues live', async () => {
    const h = await story();
    const stream = await follow(h);
    await stream.until(() => stream.frames.length === STORY.length);
    await ok(post(server, h.sessionId, 'one more'));
    await stream.until(() => stream.frames.length > STORY.length);
    expect(itemsIn(stream)).toEqual(await itemsOf(server, h.sessionId));
    stream.close();
  });

  it('resumes after any item without a gap or a repetition', async () => {
    const h = await story();
    const whole = await follow(h);
    await whole.until(() => whole.frames.length === STORY.length);
    whole.close();
    for (const [i, frame] of whole.frames.slice(0, -1).entries()) {
      const rest = await follow(h, frame.id);
      await rest.until(() => rest.frames.length >= STORY.length - i - 1);
      expect(rest.frames).toEqual(whole.frames.slice(i + 1));
      rest.close();
    }
  });

  it('continues from the cursor of a page', async () => {
    const h = await story();
    const { headers } = await server.get(`${pathOf(h.sessionId)}?limit=10`);
    const stream = await openStream(server, `${pathOf(h.sessionId)}?cursor=${headers['holdpoint-cursor']}`);
    await stream.until(() => stream.frames.length === STORY.length - 10);
    expect(itemsIn(stream).map(short)).toEqual(STORY.slice(10));
    stream.close();
  });

  it('resumes after a restart', async () => {
    const h = await held(server);
    const before = await follow(h);
    await before.until(() => before.frames.length === 1);
    await server.restart();
    await ok(post(server, h.sessionId, '2'));
    await delivered(h.ask.ask_id);
    const after = await follow(h, before.frames[0]?.id);
    await after.until(() => after.frames.length === 2);
    expect(itemsIn(after).map(short)).toEqual(['operator: 2', '! ✓ Answered: Local']);
    after.close();
  });

  it('refuses an agent the thread of another session', async () => {
    const [mine, theirs] = [await held(server), await held(server)];
    const { token } = await server.makeToken('agent', mine.sessionId);
    await refusal(server.get(pathOf(theirs.sessionId), { token }), 403, 'session_forbidden');
    expect(await ok(server.get<ItemView[]>(pathOf(mine.sessionId), { token }))).toHaveLength(1);
  });
});
