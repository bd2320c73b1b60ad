// The history: searched newest first by the words of tool, command, question, answer, session and person; page by page,
// with the same result as a search over everything.
// Covers: src/core/history.ts, src/gateway/ask-origin.ts, src/gateway/risk-signs.ts, src/store/history.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import {
  allow,
  decide,
  deny,
  held,
  NOTES,
  ok,
  picks,
  REGIONS,
  ROUTING,
  refusal,
  resolution,
} from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';

let server: Server;
let tool: string;
let question: string;
let declined: string;
let open: string;

beforeAll(async () => {
  server = await openServer();
  const { token: mate } = await server.makeToken('operator', undefined, { name: 'mate' });
  const decide = async (h: Awaited<ReturnType<typeof held>>, body: object, token?: string) => {
    const more = { request_id: h.ask.ask_id, behavior: 'deny', ...body };
    await ok(server.post(`/v1/runs/${h.runId}/approvals`, { resolutions: [more] }, token ? { token } : {}));
    return h.ask.ask_id;
  };
  const command = { command: 'kubectl delete pod "web-1"\n--now', deep: { path: 'C:\\temp' } };
  tool = await decide(
    await held(server, { kind: 'approval', tool_name: 'Shell', input: command }, { title: 'Nightly Ördnung' }),
    { reason: 'not on a Friday' },
    mate,
  );
  const h = await held(server, { questions: [ROUTING, NOTES] }, { project_ids: ['billing'], work_folder: '/srv/shop' });
  const answers = [...picks('local'), { question_id: 'notes', freeform_answer: 'Größe zählt 100%' }];
  await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, answers)));
  question = h.ask.ask_id;
  const d = await held(server, { questions: [REGIONS] });
  const no = { resolution: { request_id: d.ask.ask_id, declined: true, justification: 'later' } };
  await ok(server.post(`/v1/runs/${d.runId}/questions`, no));
  declined = d.ask.ask_id;
  open = (await held(server)).ask.ask_id;
});
afterAll(() => server.close());

const search = (query: Record<string, string>, token?: string) =>
  server.get<AskView[]>(`/v1/asks?${new URLSearchParams(query)}`, token ? { token } : {});
const found = async (q: string, more: Record<string, string> = {}) =>
  (await ok(search({ status: 'ended', q, ...more }))).map((ask) => ask.ask_id);

describe('a search of the history', () => {
  it.each([
    ['a tool', 'shell'],
    ['a command', 'KUBECTL'],
    ['a phrase over quotes', '"pod "'],
    ['a text in quotes', 'web-1'],
    ['a backslash', 'C:\\temp'],
    ['a reason', '"on a friday"'],
    ['a person', 'mate'],
    ['a title beyond ASCII', 'ördnung'],
    ['several words in any place', 'friday mate kubectl'],
  ])('finds an ended approval by %s', async (_name, q) => {
    expect(await found(q)).toEqual([tool]);
  });

  it.each([
    ['a question', 'provider'],
    ['what was chosen', 'Local'],
    ['what was typed', 'GRÖSSE'.toLowerCase().replace('ss', 'ß')],
    ['a wildcard as it is', '100%'],
    ['a wildcard alone', '%'],
    ['a project', 'billing'],
    ['a folder', '/srv/shop'],
  ])('finds an ended question by %s', async (_name, q) => {
    expect(await found(q)).toEqual([question]);
  });

  it('finds asks that ended without an answer, and no pending ask', async () => {
    expect(await found('later')).toEqual([declined]);
    expect(await found('')).toEqual([declined, question, tool]);
    expect(await found('provider')).not.toContain(open);
  });

  it.each([
    'tool_name',
    'question_id',
    'selected_option_ids',
    'digest',
    'nowhere',
    'local nowhere',
    '_kubectl',
    '!',
    '_',
    '__',
    'ses_',
    'option-1',
  ])('finds nothing for %j, which no person or agent wrote', async (q) => {
    expect(await found(q)).toEqual([]);
  });

  it('finds only what its filters allow', async () => {
    expect(await found('', { kind: 'approval' })).toEqual([tool]);
    expect(await found('', { status: 'declined' })).toEqual([declined]);
    expect(await found('', { agent: 'nobody' })).toEqual([]);
    const { session_id } = await ok(server.get<AskView>(`/v1/asks/${question}`));
    expect(await found('', { session_id })).toEqual([question]);
    await refusal(search({ q: '', session_id: 'none' }), 404, 'session_not_found');
  });
});

describe('pages', () => {
  it('pages through the whole history, each ask once, newest first', async () => {
    const seen: string[] = [];
    let next: string | undefined = '/v1/asks?order=newest&limit=1';
    for (let pages = 0; next !== undefined && pages < 10; pages++) {
      const reply: Awaited<ReturnType<typeof search>> = await server.get<AskView[]>(next);
      seen.push(...reply.body.map((ask) => ask.ask_id));
      next = /<([^>]+)>/.exec(reply.headers.link ?? '')?.[1];
      expect(reply.headers['holdpoint-searched-to'] === undefined).toBe(next === undefined);
    }
    expect(next).toBeUndefined();
    expect(seen).toEqual([declined, question, tool]);
  });

  it('refuses the cursor of a list in the other direction', async () => {
    const forth = /cursor=([^>&]+)/.exec((await server.get('/v1/asks?limit=1')).headers.link ?? '')?.[1] ?? '';
    const back = /cursor=([^>&]+)/.exec((await search({ q: '', limit: '1' })).headers.link ?? '')?.[1] ?? '';
    await ok(search({ limit: '1', cursor: forth }));
    await refusal(search({ q: '', cursor: forth }), 400, 'invalid_cursor');
    await refusal(search({ cursor: back }), 400, 'invalid_cursor');
  });

  it('refuses filters that a search does not have', async () => {
    await refusal(search({ q: 'x', status: 'pending' }), 400, 'invalid_request');
    await refusal(search({ q: 'x', delivery: 'due' }), 400, 'invalid_request');
    await refusal(search({ q: 'x'.repeat(501) }), 400, 'invalid_request');
    await ok(search({ q: '"' }));
    await ok(search({ q: '" " \\ % _ ! \' ; --' }));
  });
});

describe('who sees what', () => {
  it('finds only asks of its own session for an agent', async () => {
    const own = await ok(server.get<AskView>(`/v1/asks/${question}`));
    const { token } = await server.makeToken('agent', own.session_id);
    const mine = await ok(search({ q: '' }, token));
    expect(mine.map((ask) => ask.ask_id)).toEqual([question]);
    expect(mine[0]).not.toHaveProperty('asked_from');
    expect(mine[0]).not.toHaveProperty('risk');
  });

  it('shows people the risk of an approval in the folder it runs in', async () => {
    const approval = { kind: 'approval', tool_name: 'Bash', input: { command: 'rm -rf ../other' } };
    const { ask } = await held(server, approval, { work_folder: '/srv/shop' });
    const { risk } = await ok(server.get<AskView>(`/v1/asks/${ask.ask_id}`));
    expect(risk).toEqual([
      { risk: 'destructive', why: 'rm deletes files' },
      { risk: 'outside_folder', why: 'uses /srv/other' },
    ]);
  });

  it('assesses the same action by the folder and the deadline of each request', async () => {
    const approval = { kind: 'approval', tool_name: 'Bash', input: { command: 'cat /srv/shop/readme' } };
    const risksOf = async (body: object, session: Record<string, string>) => {
      const { ask } = await held(server, { ...approval, ...body }, session);
      return (await ok(server.get<AskView>(`/v1/asks/${ask.ask_id}`))).risk?.map(({ risk }) => risk);
    };
    expect(await risksOf({}, { work_folder: '/srv/shop' })).toEqual([]);
    expect(await risksOf({}, { work_folder: '/srv/bill' })).toEqual(['outside_folder']);
    expect(await risksOf({ work_folder: '/srv' }, { work_folder: '/srv/shop' })).toEqual(['outside_folder']);
    expect(await risksOf({ expires_after_ms: 60_000 }, { work_folder: '/srv/shop' })).toEqual(['deadline']);
    expect(await risksOf({}, { work_folder: '/srv/shop' })).toEqual([]);
  });

  it('finds no secret', async () => {
    const h = await held(server, { questions: [{ id: 'key', question: 'The key?', secret: true }] });
    const answers = [{ question_id: 'key', freeform_answer: 'xyzzy-secret' }];
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, answers)));
    expect(await found('xyzzy')).toEqual([]);
    expect(await found('"the key"')).toEqual([h.ask.ask_id]);
  });

  it('shows people the session, agent and folder an ask came from', async () => {
    const parent = await held(server, {}, { title: 'Release' });
    const child = await held(server, {}, { title: 'Notes', parent_session_id: parent.sessionId, work_folder: '/w' });
    const shown = await ok(server.get<AskView>(`/v1/asks/${child.ask.ask_id}`));
    expect(shown.asked_from).toEqual({
      agent: 'external',
      agent_id: expect.any(String),
      title: 'Notes',
      work_folder: '/w',
      project_ids: [],
      lineage: [{ session_id: parent.sessionId, agent: 'external', title: 'Release' }],
    });
    const body = { tool_call_id: 'c', questions: [NOTES] };
    const asked = await ok(server.post<{ request_id: string }>(`/v1/runs/${child.runId}/clarifications`, body));
    // The parent is held on its own question first.
    await ok(server.post(`/v1/runs/${parent.runId}/questions`, resolution(parent.ask.ask_id)));
    await ok(server.post(`/v1/runs/${parent.runId}/complete`));
    const clarification = await ok(server.get<AskView>(`/v1/asks/${asked.request_id}`));
    expect(clarification.asked_from?.requester).toEqual({
      session_id: child.sessionId,
      agent: 'external',
      title: 'Notes',
    });
  });
});

it('finds a wildcard character as it is, and a session by its whole id', async () => {
  const h = await held(server, { kind: 'approval', input: { command: 'make all_tests' } });
  const denied = [{ request_id: h.ask.ask_id, behavior: 'deny' }];
  await ok(server.post(`/v1/runs/${h.runId}/approvals`, { resolutions: denied }));
  expect(await found('_')).toEqual([h.ask.ask_id]);
  expect(await found('l_t')).toEqual([h.ask.ask_id]);
  expect(await found('l%t')).toEqual([]);
  expect(await found(h.sessionId.toUpperCase())).toEqual([h.ask.ask_id]);
  expect(await found(h.sessionId.slice(0, -1))).toEqual([]);
});

describe('what an ended ask was', () => {
  it('is found by the risk that it had', async () => {
    const command = (text: string) => ({ kind: 'approval', tool_name: 'Bash', input: { command: text } });
    const place = { work_folder: '/srv/shop', project_ids: ['risks'] };
    const [risky, elsewhere] = [
      await held(server, command('rm -rf /srv'), place),
      await held(server, { ...command('npm test'), work_folder: '/srv' }, place),
    ];
    for (const h of [risky, elsewhere]) await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    expect(await found('project:risks risk:destructive')).toEqual([risky.ask.ask_id]);
    expect(await found('risk:outside-folder project:risks')).toEqual([elsewhere.ask.ask_id, risky.ask.ask_id]);
    expect(await found('project:risks -risk:destructive')).toEqual([elsewhere.ask.ask_id]);
  });

  it('is denied only where it was answered so, not where its session was ended', async () => {
    const approval = { kind: 'approval', tool_name: 'Bash', input: { command: 'make denied-or-not' } };
    const [denied, ended] = [await held(server, approval), await held(server, approval)];
    await ok(decide(server, denied.runId, deny(denied.ask.ask_id)));
    await ok(server.post(`/v1/sessions/${ended.sessionId}/end`));
    expect(await found('denied-or-not is:denied')).toEqual([denied.ask.ask_id]);
    expect(await found('denied-or-not is:cancelled')).toEqual([ended.ask.ask_id]);
  });
});
