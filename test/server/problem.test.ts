// Every refusal is a problem document (RFC 9457): a stable code, a title and a detail, and where possible what would have
// been accepted. No internals leave with it.
// Covers: src/core/errors.ts, src/server/app.ts, src/server/body.ts
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import type { Problem } from '../../src/server/problem.ts';
import { problemOf } from '../../src/server/problem.ts';
import {
  allow,
  answer,
  callId,
  decide,
  held,
  NOTES,
  newSession,
  picks,
  REGIONS,
  ROUTING,
  refusal,
  resolution,
  resolutions,
  startRun,
} from '../support/api-calls.ts';
import { openServer, type Reply } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('the catalogue of refusals', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('gives %s a domain, a title and a status', (code) => {
    const problem = problemOf({ code, detail: 'Because.' });
    expect(problem).toMatchObject({ type: `urn:holdpoint:problem:${code}`, code });
    expect(problem.title).toMatch(/^[A-Z].{10,}[^.]$/);
    expect(problem.domain).toMatch(/^[a-z_]+$/);
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
  });
});

describe('a malformed request', () => {
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    server.raw('POST', '/v1/sessions', body, { headers }) as Promise<Reply<Problem>>;
  const CASES: [string, string | Buffer, Record<string, string>, number, ErrorCode][] = [
    ['bad JSON', '{"agent":', {}, 400, 'invalid_request'],
    ['not an object', '[]', {}, 400, 'invalid_request'],
    ['a JSON string', '"external"', {}, 400, 'invalid_request'],
    ['null', 'null', {}, 400, 'invalid_request'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, 'invalid_request'],
    ['a field named __proto__', '{"agent":"external","__proto__":{"x":1}}', {}, 400, 'invalid_request'],
    ['a NUL', '{"agent":"external","title":"a\\u0000b"}', {}, 400, 'invalid_request'],
    ['half a surrogate pair', '{"agent":"external","title":"\\ud800"}', {}, 400, 'invalid_request'],
    ['nested too deep', `{"agent":${'['.repeat(200)}${']'.repeat(200)}}`, {}, 400, 'invalid_request'],
    [
      'another media type',
      'agent=external',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    [
      'text that a page could send without asking',
      '{"agent":"external"}',
      { 'content-type': 'text/plain' },
      415,
      'unsupported_media_type',
    ],
    ['too large', JSON.stringify({ agent: 'external', title: 'x'.repeat(1_100_000) }), {}, 413, 'body_too_large'],
  ];
  it.each(CASES)(
    'is refused with a problem document and changes nothing: %s',
    async (_name, body, headers, status, code) => {
      const before = (await server.get('/v1/sessions?limit=500')).text;
      const reply = await send(body, headers);
      expect(reply).toMatchObject({ status, body: { code, status } });
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(reply.body.detail.length).toBeGreaterThan(10);
      expect((await server.get('/v1/sessions?limit=500')).text).toBe(before);
    },
  );

  it.each([
    ['{"agent":"external","title":"rm -rf /","title":"ls"}', 'The body is ambiguous: title occurs twice.'],
    [
      '{"agent":"external","task_id":9007199254740993}',
      /^The body is ambiguous: task_id is 9007199254740993, an integer/,
    ],
  ])('finding 23: is refused where it could be shown as something else: %s', async (body, detail) => {
    const before = (await server.get('/v1/sessions?limit=500')).text;
    expect((await refusal(send(body), 400, 'invalid_request')).detail).toMatch(detail);
    expect((await server.get('/v1/sessions?limit=500')).text).toBe(before);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is answered 404 for the method %s', async (method) => {
    await refusal(server.call(method, '/v1/sessions'), 404, 'route_not_found');
  });

  it.each(['/nowhere', '/v1', '/v1/', '/v2/asks', '/v1/asks/x/y', '/V1/asks'])(
    'is answered 404 for the unknown path %s',
    async (path) => {
      const problem = await refusal(server.get(path), 404, 'route_not_found');
      expect(problem.detail).toContain('/docs');
    },
  );

  it.each(['/v1/asks/%zz', '/v1/asks/%', '/v1/runs/%E0%A4%A', `/v1/runs/${'x'.repeat(2000)}`])(
    'is answered 400 for the malformed path %s',
    async (path) => {
      await refusal(server.get(path), 400, 'invalid_request');
    },
  );

  it('is answered with a problem document when its bytes are not HTTP, or without a Host', async () => {
    const { port } = new URL(await server.url());
    const say = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let heard = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.on('data', (chunk) => {
          heard += chunk;
        });
        socket.on('close', () => resolve(heard));
        socket.on('error', reject);
      });
    expect(await say('hello there\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400[\s\S]*problem\+json[\s\S]*"code":"invalid_request"/,
    );
    const nobody = await say('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(nobody).toMatch(/^HTTP\/1\.1 403[\s\S]*problem\+json[\s\S]*"code":"host_not_allowed"/);
  });
});

describe('a body that does not fit its schema', () => {
  it('is refused with the names of all unknown fields, at any depth', async () => {
    const h = await held(server);
    const body = {
      kind: 'question',
      tool_call_id: callId(),
      colour: 'red',
      shape: 1,
      questions: [{ ...NOTES, size: 'xl' }],
    };
    const problem = await refusal(server.post(`/v1/runs/${h.runId}/asks`, body), 400, 'invalid_request');
    for (const name of ['colour', 'shape', 'size']) expect(problem.detail).toContain(name);
    expect(problem.errors).toContainEqual(expect.objectContaining({ path: 'questions.0' }));
  });

  it('is refused with the path of a wrong type and what was expected', async () => {
    const h = await held(server);
    const body = {
      resolution: { request_id: 7, answers: [{ question_id: 'routing', selected_option_ids: 'openai' }] },
    };
    const problem = await refusal(server.post(`/v1/runs/${h.runId}/questions`, body), 400, 'invalid_request');
    expect(problem.detail).toMatch(/resolution\.request_id: .*string/);
    expect(problem.detail).toMatch(/resolution\.answers\.0\.selected_option_ids: .*array/);
  });

  it('is refused with the names of missing fields', async () => {
    const problem = await refusal(server.post('/v1/sessions', {}), 400, 'invalid_request');
    expect(problem.detail).toContain('agent');
    const h = await held(server);
    const kinds = await refusal(server.post(`/v1/runs/${h.runId}/asks`, { kind: 'poll' }), 400, 'invalid_request');
    expect(kinds.detail).toMatch(/approval.*question|kind/);
  });

  it('is refused with the names of wrong parameters of a query', async () => {
    const problem = await refusal(server.get('/v1/asks?status=maybe&limit=1000000&x=1'), 400, 'invalid_request');
    for (const name of ['status', 'pending', 'x']) expect(problem.detail).toContain(name);
  });
});

describe('the detail of a refusal', () => {
  it.each<[string, string, unknown, string]>([
    ['a missing object', 'questions', {}, 'body.resolution: is required'],
    ['a list for an object', 'questions', { resolution: [] }, 'body.resolution: must be an object, not an array'],
    ['an empty id', 'questions', { resolution: { request_id: '' } }, 'body.resolution.request_id: must not be empty'],
    ['an unknown field', 'questions', { resolution: { request_id: 'x' }, foo: 1 }, 'body: has no field "foo"'],
    ['an unknown kind', 'asks', { kind: 'poll' }, 'body.kind: must be "approval" or "question"'],
    ['another value', 'approvals', { resolutions: [{ request_id: 'x', behavior: 'ok' }] }, 'must be "allow" or "deny"'],
    [
      'a negative number',
      'questions?settle_ms=-1',
      { resolution: { request_id: 'x' } },
      'query.settle_ms: must be a whole number, 0 or more',
    ],
  ])('says in plain words what is wrong: %s', async (_, path, body, words) => {
    const { runId } = await held(server);
    const problem = await refusal(server.post(`/v1/runs/${runId}/${path}`, body), 400, 'invalid_request');
    expect(problem.detail).toContain(words);
  });

  it('names a question without an id by its text', async () => {
    const h = await held(server, { questions: [{ question: 'Which database?', options: [{ label: 'One' }] }] });
    const problem = await refusal(answer(server, h, []), 400, 'question_answer_missing');
    expect(problem).toMatchObject({
      detail: 'Question "Which database?" must be answered.',
      question_id: 'question-1',
    });
  });

  it('names the questions and options that would have been accepted', async () => {
    const h = await held(server, { questions: [ROUTING, REGIONS, { ...NOTES, required: false }] });
    const path = `/v1/runs/${h.runId}/questions`;
    const send = (answers: unknown, id = h.ask.ask_id) => server.post(path, resolution(id, answers));
    const regions = { question_id: 'regions', selected_option_ids: ['eu'] };
    expect((await refusal(send([], 'x'), 400, 'question_request_mismatch')).detail).toContain(h.ask.ask_id);
    expect((await refusal(send([]), 400, 'question_answer_missing')).detail).toContain('"routing"');
    expect((await refusal(send([...picks('x'), regions]), 400, 'question_option_not_found')).detail).toContain(
      'openai, local',
    );
    const both = [{ question_id: 'routing', selected_option_ids: ['openai', 'local'] }];
    expect((await refusal(send(both), 400, 'question_single_select_violation')).detail).toMatch(/one option/);
    const blank = [...picks('local'), regions, { question_id: 'notes', freeform_answer: ' ' }];
    expect((await refusal(send(blank), 400, 'question_answer_empty')).detail).toMatch(/option or some text/);
    const unknown = [...picks('local'), regions, { question_id: 'budget', freeform_answer: '1' }];
    expect((await refusal(send(unknown), 400, 'question_unknown_answer')).detail).toMatch(
      /"budget".*routing, regions, notes/,
    );
  });

  it('names what is accepted for approvals, tokens, sessions and keys', async () => {
    const h = await held(server, { kind: 'approval' });
    const wrong = await refusal(decide(server, h.runId, allow('x')), 400, 'approval_request_not_pending');
    expect(wrong.detail).toContain(h.ask.ask_id);
    expect((await refusal(decide(server, h.runId), 400, 'approval_batch_empty')).detail).toMatch(/at least one/);
    expect((await refusal(answer(server, h), 409, 'question_state_conflict')).detail).toMatch(/approvals endpoints/);
    const q = await held(server);
    const swapped = server.post(`/v1/runs/${q.runId}/approvals`, resolutions(allow(q.ask.ask_id)));
    expect((await refusal(swapped, 409, 'approval_state_conflict')).detail).toMatch(/questions endpoints/);
    const id = { session_id: 'a b', agent: 'external' };
    expect((await refusal(server.post('/v1/sessions', id), 400, 'invalid_request')).detail).toMatch(/letters, digits/);
    const limit = await refusal(server.get('/v1/asks?limit=501'), 400, 'invalid_request');
    expect(limit.detail).toMatch(/1 to 500/);
  });

  it('names what is wrong with a question set', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const option = (id: string, label: string) => ({ id, label });
    const SETS: [object[], RegExp][] = [
      [[NOTES, NOTES], /"notes" is used twice/],
      [[{ ...ROUTING, options: [option('a', 'x'), option('a', 'y')] }], /"a" is used twice/],
      [[{ ...ROUTING, options: [option('a', 'Yes'), option('b', 'YES')] }], /differ by more than case/],
      [[{ ...NOTES, allow_other: false }], /no options to choose from/],
    ];
    for (const [questions, words] of SETS) {
      const body = { kind: 'question', tool_call_id: callId(), questions };
      const problem = await refusal(server.post(`/v1/runs/${run_id}/asks`, body), 400, 'invalid_ask');
      expect(problem.detail).toMatch(words);
    }
    for (const questions of [[], Array.from({ length: 21 }, () => NOTES)]) {
      const body = { kind: 'question', tool_call_id: callId(), questions };
      await refusal(server.post(`/v1/runs/${run_id}/asks`, body), 400, 'invalid_request');
    }
  });
});

it('reports a defect as internal without details', () => {
  const problem = problemOf({ code: 'internal', detail: 'The request was not carried out.' });
  expect(problem).toMatchObject({ status: 500, domain: 'system' });
});

it('answers a database that cannot be read with a 5xx problem document without a stack trace', async () => {
  const own = await openServer();
  try {
    await own.ports.store.close();
    for (const path of ['/readyz', '/v1/asks']) {
      const reply = await own.raw('GET', path);
      expect(reply.status).toBe(503);
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(reply.text).not.toMatch(/\.ts|node_modules|\bat \w/);
    }
    expect((await own.raw('GET', '/healthz')).status).toBe(200);
  } finally {
    await own.close();
  }
});
