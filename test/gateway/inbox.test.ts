// Lists: bare arrays, oldest first, bounded, with the next page in a Link header and an opaque cursor; and the filters of
// the inbox, /v1/asks.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AskView, EventView, RunView, SessionView } from '../../src/core/views.ts';
import {
  answer,
  decide,
  deny,
  held,
  newSession,
  ok,
  picks,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showRun,
  startRun,
} from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const nextOf = (link: string | undefined): string | undefined => /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];

/** Follows the Link headers to the end. */
async function allPages<T>(path: string): Promise<{ pages: T[][]; items: T[] }> {
  const pages: T[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply: { body: T[]; headers: Record<string, string> } = await server.get<T[]>(next);
    pages.push(reply.body);
    next = nextOf(reply.headers.link);
  }
  return { pages, items: pages.flat() };
}

const LISTS = [
  '/v1/sessions',
  '/v1/runs',
  '/v1/asks',
  '/v1/questions',
  '/v1/approvals',
  '/v1/tokens',
  '/v1/events',
] as const;

describe('children of a session', () => {
  it('lists the children of a session by their parent', async () => {
    const parent = await newSession(server);
    const child = await newSession(server, { parent_session_id: parent.session_id });
    await newSession(server);
    const listed = await ok(server.get<SessionView[]>(`/v1/sessions?parent_session_id=${parent.session_id}`));
    expect(listed.map((session) => session.session_id)).toEqual([child.session_id]);
    expect(await ok(server.get(`/v1/sessions?parent_session_id=${child.session_id}`))).toEqual([]);
  });
});

describe.each(LISTS)('the list %s', (path) => {
  it('returns a bare JSON array', async () => {
    expect(Array.isArray(await ok(server.get(path)))).toBe(true);
  });

  it.each(['0', '501', '1000', '-1', '1.5', 'ten', '', '1e2'])(
    'refuses limit=%s and names the allowed range',
    async (limit) => {
      const problem = await refusal(server.get(`${path}?limit=${limit}`), 400, 'invalid_request');
      expect(problem.detail).toContain('limit');
    },
  );

  it.each(['1', '500'])('accepts limit=%s', async (limit) => {
    await ok(server.get(`${path}?limit=${limit}`));
  });

  it('refuses an unknown parameter and names it', async () => {
    const problem = await refusal(server.get(`${path}?colour=red`), 400, 'invalid_request');
    expect(problem.detail).toContain('colour');
  });
});

it.each(LISTS.filter((path) => path !== '/v1/events'))(
  'refuses a cursor that the server did not issue, on %s',
  async (path) => {
    for (const cursor of ['x', '12', 'cDE=x', Buffer.from('p-1').toString('base64url')])
      await refusal(server.get(`${path}?cursor=${cursor}`), 400, 'invalid_cursor');
  },
);

describe('paging', () => {
  it('returns every run of a session once, from either end, whatever the page size', async () => {
    const { session_id } = await newSession(server);
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push((await startRun(server, session_id)).run_id);
    for (const limit of [1, 2, 3, 7, 8]) {
      const { pages, items } = await allPages<RunView>(`/v1/runs?session_id=${session_id}&limit=${limit}`);
      expect(items.map((r) => r.run_id)).toEqual(made);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(pages).toHaveLength(Math.ceil(7 / limit));
      const back = await allPages<RunView>(`/v1/runs?session_id=${session_id}&limit=${limit}&order=newest`);
      expect(back.items.map((r) => r.run_id)).toEqual(made.toReversed());
    }
  });

  it('keeps the filters of the first page, and shows what is added behind the cursor', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const asks = [
      await raiseQuestion(server, run_id),
      await raiseApproval(server, run_id),
      await raiseQuestion(server, run_id),
    ];
    const first = await server.get<AskView[]>(`/v1/asks?session_id=${session_id}&kind=question&limit=1`);
    expect(first.body.map((a) => a.ask_id)).toEqual([asks[0]?.ask_id]);
    const later = await raiseQuestion(server, run_id);
    const rest = await allPages<AskView>(String(nextOf(first.headers.link)));
    expect(rest.items.map((a) => a.ask_id)).toEqual([asks[2]?.ask_id, later.ask_id]);
  });

  it('returns 100 items by default', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    await Promise.all(Array.from({ length: 105 }, () => raiseQuestion(server, run_id)));
    const first = await server.get<AskView[]>(`/v1/asks?session_id=${session_id}`);
    expect(first.body).toHaveLength(100);
    expect(nextOf(first.headers.link)).toBeDefined();
    expect((await allPages<AskView>(`/v1/asks?session_id=${session_id}`)).items).toHaveLength(105);
    expect((await allPages<AskView>(`/v1/sessions/${session_id}/questions`)).items).toHaveLength(105);
  });

  it('pages events by seq, on all three paths', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    for (const path of [`/v1/runs/${h.runId}/events`, `/v1/sessions/${h.sessionId}/events`, '/v1/events']) {
      const { items } = await allPages<{ seq: number }>(`${path}?limit=3`);
      const all = await allPages<{ seq: number }>(`${path}?limit=500`);
      expect(items).toEqual(all.items);
      expect(items.map((e) => e.seq)).toEqual(items.map((e) => e.seq).sort((a, b) => a - b));
    }
    const after = await ok(server.get<{ seq: number }[]>(`/v1/runs/${h.runId}/events`));
    const rest = await ok(server.get<{ seq: number }[]>(`/v1/runs/${h.runId}/events?after=${after[1]?.seq}`));
    expect(rest).toEqual(after.slice(2));
  });
});

describe('the inbox', () => {
  it('filters asks by status, kind, session, run, agent and delivery', async () => {
    const { session_id } = await newSession(server, { agent: 'external', agent_id: 'x' });
    const { run_id } = await startRun(server, session_id);
    const question = await raiseQuestion(server, run_id);
    const approval = await raiseApproval(server, run_id);
    const denied = await raiseApproval(server, run_id);
    await ok(decide(server, run_id, deny(denied.ask_id)));
    const list = async (query: string) =>
      (await ok(server.get<AskView[]>(`/v1/asks?session_id=${session_id}&${query}`))).map((a) => a.ask_id);
    expect(await list('status=pending')).toEqual([question.ask_id, approval.ask_id]);
    expect(await list('status=answered')).toEqual([denied.ask_id]);
    expect(await list('status=ended')).toEqual([denied.ask_id]);
    expect(await list('kind=approval')).toEqual([approval.ask_id, denied.ask_id]);
    expect(await list('kind=approval&status=pending')).toEqual([approval.ask_id]);
    expect(await list('delivery=due')).toEqual([denied.ask_id]);
    expect(await list('delivery=none')).toEqual([question.ask_id, approval.ask_id]);
    expect(await list(`run_id=${run_id}`)).toHaveLength(3);
    expect(await list('agent=external')).toHaveLength(3);
    expect(await list('agent=claude')).toEqual([]);
    await ok(server.post(`/v1/asks/${denied.ask_id}/delivered`));
    expect(await list('delivery=due')).toEqual([]);
    expect(await list('delivery=delivered')).toEqual([denied.ask_id]);
  });

  it.each(['status=open', 'kind=choice', 'delivery=sent'])(
    'refuses the filter %s and names the allowed values',
    async (query) => {
      const problem = await refusal(server.get(`/v1/asks?${query}`), 400, 'invalid_request');
      expect(problem.detail).toMatch(/pending|approval|due/);
    },
  );

  it('filters sessions by status', async () => {
    const { session_id } = await newSession(server);
    await ok(server.post(`/v1/sessions/${session_id}/end`));
    const list = async (status: string) =>
      (await allPages<SessionView>(`/v1/sessions?status=${status}&limit=500`)).items.map((s) => s.session_id);
    expect(await list('ended')).toContain(session_id);
    expect(await list('active')).not.toContain(session_id);
  });

  it('names the event a list is true for, so that a later end is not shown as open', async () => {
    const h = await held(server);
    const path = `/v1/asks?session_id=${h.sessionId}&status=pending`;
    const stale = await server.get<AskView[]>(path);
    await ok(answer(server, h));
    const cursor = Number(stale.headers['holdpoint-cursor']);
    const later = await ok(server.get<EventView[]>(`/v1/sessions/${h.sessionId}/events?after=${cursor}`));
    const open = new Set(stale.body.map((a) => a.ask_id));
    for (const e of later) if (e.type === 'ask.claimed') open.delete(String(e.ask_id));
    expect(open.size).toBe(0);
    const fresh = await server.get<AskView[]>(path);
    expect(fresh.body).toEqual([]);
    expect(Number(fresh.headers['holdpoint-cursor'])).toBeGreaterThan(cursor);
  });

  it('never shows an ended ask as pending on a later page, nor reopens it when it is raised again', async () => {
    const h = await held(server, { tool_call_id: 'same' });
    const second = await raiseQuestion(server, h.runId);
    const path = `/v1/asks?session_id=${h.sessionId}&status=pending&limit=1`;
    const first = await server.get<AskView[]>(path);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(second.ask_id)));
    const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
    expect(await ok(server.get(next))).toEqual([]);
    await ok(answer(server, h));
    const again = await raiseQuestion(server, h.runId, { tool_call_id: 'same' });
    expect(again).toMatchObject({ ask_id: h.ask.ask_id, status: 'answered' });
    expect((await showRun(server, h.runId)).status).toBe('running');
  });
});

it('leaves the system session out of the list of sessions', async () => {
  const { items } = await allPages<SessionView>('/v1/sessions');
  expect(items.map((session) => session.session_id)).not.toContain('system');
  expect((await server.get<SessionView>('/v1/sessions/system')).status).toBe(200);
});

it('never cuts a preview inside a character', async () => {
  const { session_id } = await newSession(server);
  const run = await startRun(server, session_id, { input: { text: `${'x'.repeat(199)}👍 and more` } });
  expect(run.request.text_preview).toBe('x'.repeat(199));
});

it('leaves a damaged row out of lists, reports it by id when it is read, and serves all others', async () => {
  const own = await openServer();
  try {
    const [bad, good] = [await held(own), await held(own)];
    await own.restart(() => {
      const db = new DatabaseSync(join(own.folder, 'holdpoint.db'));
      db.prepare(`UPDATE asks SET content = '{"broken', expires_at = 1 WHERE id = ?`).run(bad.ask.ask_id);
      db.close();
    });
    const listed = await ok(own.get<AskView[]>('/v1/asks?status=pending'));
    expect(listed.map((a) => a.ask_id)).toEqual([good.ask.ask_id]);
    const one = await own.get(`/v1/asks/${bad.ask.ask_id}`);
    expect([one.status, (JSON.parse(one.text) as { code: string }).code]).toEqual([500, 'record_unreadable']);
    expect(one.text).toContain(bad.ask.ask_id);
    await ok(answer(own, good, picks('local')));
  } finally {
    await own.close();
  }
});
