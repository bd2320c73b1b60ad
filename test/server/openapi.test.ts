// The OpenAPI document: valid 3.1, complete, with the scopes of every operation, and fit for generators. Every reply of
// every test is checked against it (support/contract.ts); here also that this check can fail.
// Covers: src/server/openapi/
import { validate } from '@scalar/openapi-parser';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ERRORS } from '../../src/core/errors.ts';
import { held, ok } from '../support/api-calls.ts';
import { Contract, type OpenApi, type Operation } from '../support/contract.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const SEED_003 = [
  'GET /v1/questions',
  'GET /v1/sessions/{session_id}/questions',
  'POST /v1/sessions/{session_id}/approvals',
  'POST /v1/sessions/{session_id}/questions',
  'POST /v1/sessions/{session_id}/approval-runs',
  'POST /v1/runs/{run_id}/approvals',
  'POST /v1/runs/{run_id}/questions',
  'POST /v1/runs/{run_id}/questions/{request_id}/cancel',
  'GET /v1/sessions/{session_id}',
  'GET /v1/runs/{run_id}',
  'POST /v1/runs/{run_id}/cancel',
  'GET /v1/runs/{run_id}/events',
  'GET /v1/sessions/{session_id}/events',
];

const SURFACES_1 = [
  'POST /v1/sessions',
  'GET /v1/sessions',
  'POST /v1/sessions/{session_id}/end',
  'POST /v1/sessions/{session_id}/interrupt',
  'POST /v1/sessions/{session_id}/runs',
  'GET /v1/runs',
  'GET /v1/events',
  'GET /v1/approvals',
  'GET /v1/sessions/{session_id}/approvals',
  'GET /v1/asks',
  'GET /v1/asks/{ask_id}',
  'POST /v1/runs/{run_id}/asks',
  'POST /v1/asks/{ask_id}/delivered',
  'POST /v1/asks/{ask_id}/undeliverable',
  'POST /v1/asks/{ask_id}/withdraw',
  'POST /v1/runs/{run_id}/output',
  'POST /v1/runs/{run_id}/complete',
  'POST /v1/runs/{run_id}/fail',
  'GET /v1/sessions/{session_id}/mailbox',
  'POST /v1/sessions/{session_id}/mailbox/{message_id}/ack',
  'GET /v1/sessions/{session_id}/dead-letters',
  'POST /v1/runs/{run_id}/clarifications',
  'POST /v1/tokens',
  'GET /v1/tokens',
  'DELETE /v1/tokens/{token_id}',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
];

const operations = (document: OpenApi): [name: string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await validate(structuredClone(server.openApi) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result).toMatchObject({ valid: true, version: '3.1' });
    const broken = structuredClone(server.openApi) as { info: Record<string, unknown> };
    delete broken.info.title;
    expect((await validate(broken as never)).valid).toBe(false);
  });

  it('is served without a token, with a page to browse it', async () => {
    const reply = await server.raw('GET', '/openapi.json', undefined, { token: null });
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    const docs = await server.raw('GET', '/docs/', undefined, { token: null });
    expect([docs.status, String(docs.headers['content-type'])]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  });

  it.each([...SEED_003, ...SURFACES_1])('contains %s', (name) => {
    expect(operations(server.openApi).map(([known]) => known)).toContain(name);
  });

  it('describes for every operation what it does, its scopes and its refusals', () => {
    const scopes = new Set(['operator', 'viewer', 'agent', 'worker', 'skill_identity']);
    for (const [name, operation] of operations(server.openApi)) {
      expect(operation.summary?.length, name).toBeGreaterThan(5);
      expect(operation.tags, name).toHaveLength(1);
      expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(['400', '401', '403', 'default']));
      const allowed = operation['x-holdpoint-scopes'];
      expect(allowed, name).toBeDefined();
      const open = ['GET /healthz', 'GET /readyz', 'POST /v1/sign-in'].includes(name);
      expect(allowed?.length === 0, name).toBe(open);
      expect(operation.security, name).toEqual(open ? [] : undefined);
      for (const scope of allowed ?? []) expect(scopes, name).toContain(scope);
    }
  });

  it('declares the scope operator alone on every route that decides', () => {
    const deciding = operations(server.openApi).filter(([name]) =>
      /^POST .*\/(questions|approvals|approval-runs|cancel|interrupt)$/.test(name),
    );
    expect(deciding.map(([name]) => name)).toHaveLength(8);
    for (const [name, operation] of deciding) expect(operation['x-holdpoint-scopes'], name).toEqual(['operator']);
    const reading = operations(server.openApi).filter(([name]) => name.startsWith('GET '));
    for (const [name, operation] of reading)
      if (operation['x-holdpoint-scopes']?.length && !/\/tokens|\/draft/.test(name))
        expect(operation['x-holdpoint-scopes'], name).toContain('viewer');
  });

  it('declares every path parameter, refuses unknown fields in every body, and has valid schemas', () => {
    for (const [name, operation] of operations(server.openApi)) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
      const declared = (operation.parameters ?? []).filter((p) => p.in === 'path').map((p) => p.name);
      expect(declared.sort(), name).toEqual(inPath.sort());
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        expect(() => z.fromJSONSchema(schema).parse({ surely_unknown: 1 }), name).toThrow();
      for (const response of Object.values(operation.responses))
        for (const { schema } of Object.values(response.content ?? {}))
          expect(() => z.fromJSONSchema(schema), name).not.toThrow();
    }
  });
});

describe('the contract check of replies', () => {
  const contract = () => new Contract(server.openApi);
  const path = '/v1/questions';
  const reply = (body: unknown, status = 200, type = 'application/json') => ({
    status,
    body,
    headers: { 'content-type': type },
    text: JSON.stringify(body),
  });

  it('accepts a real reply', async () => {
    await held(server);
    expect(await ok(server.get<unknown[]>(path))).not.toEqual([]);
  });

  it.each([
    ['a field that is missing', async () => reply((await listed()).map(({ run_kind: _, ...rest }) => rest))],
    ['a field that is not documented', async () => reply((await listed()).map((view) => ({ ...view, colour: 'red' })))],
    ['a status that is not documented', async () => reply(await listed(), 201)],
    ['another media type', async () => reply(await listed(), 200, 'text/html')],
    ['a problem that is none', async () => reply({ error: 'Bad Request' }, 400)],
    [
      'a problem with a stack trace',
      async () => reply(problem('Error: x\n    at f (/srv/app.ts:1:2)'), 404, 'application/problem+json'),
    ],
    ['a problem without a sentence', async () => reply(problem('oops'), 404, 'application/problem+json')],
  ])('rejects %s', async (_name, make) => {
    const made = await make();
    expect(() => contract().check('GET', path, made)).toThrow();
  });

  it('accepts a problem document', () => {
    const good = reply(problem('There is no session "x".'), 404, 'application/problem+json');
    expect(() => contract().check('GET', path, good)).not.toThrow();
  });

  const listed = () => ok(server.get<Record<string, unknown>[]>(path));
  const problem = (detail: string) => ({
    type: 'urn:holdpoint:problem:session_not_found',
    title: 'There is no such session',
    status: 404,
    detail,
    domain: 'sessions',
    code: 'session_not_found',
  });
});

it('describes idempotency keys, numbers of queries and answers to forms as the server reads them', () => {
  const { paths } = server.openApi;
  const parameters = new Map(
    paths['/v1/events']?.get?.parameters?.map((parameter) => [parameter.name, parameter.schema]),
  );
  expect(parameters.get('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 500 });
  expect(parameters.get('snapshot')).toEqual({ type: 'boolean' });
  const message = JSON.stringify(paths['/v1/sessions/{session_id}/messages']?.post);
  expect(message).toContain('"required":["type","tool_use_id","status"]');
  expect(message).toMatch(/"idempotency_key":\{[^}]*"maxLength":256/);
  expect(message).toContain('"name":"Idempotency-Key","in":"header"');
});

describe('the document that generators read', () => {
  const served = async () => (await server.raw('GET', '/openapi.json')).text;

  it('has fewer than 200 000 bytes', async () => {
    expect(Buffer.byteLength(await served())).toBeLessThan(200_000);
  });

  it('names every operation by a verb and a noun, once', () => {
    const names = operations(server.openApi).map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^(?!(?:get|post|put|delete)(?:V1|Api))[a-z]+[A-Z]?[A-Za-z]*$/);
  });

  it('tells approvals and questions apart by their kind, in requests and replies', async () => {
    const { components } = JSON.parse(await served());
    for (const [union, approval, question] of [
      ['Ask', 'ApprovalAsk', 'QuestionAsk'],
      ['RaiseAsk', 'RaiseApproval', 'RaiseQuestion'],
    ])
      expect(components.schemas[union ?? '']).toEqual({
        oneOf: [{ $ref: `#/components/schemas/${approval}` }, { $ref: `#/components/schemas/${question}` }],
        discriminator: {
          propertyName: 'kind',
          mapping: {
            approval: `#/components/schemas/${approval}`,
            question: `#/components/schemas/${question}`,
          },
        },
      });
  });

  it('leaves replies open to further fields, and no request', () => {
    for (const [name, { responses }] of operations(server.openApi))
      expect(JSON.stringify(responses), name).not.toContain('"additionalProperties":false');
  });

  it('documents the headers of pages, and the codes of each refusal', () => {
    const list = server.openApi.paths['/v1/questions']?.get;
    expect(Object.keys(list?.responses['200']?.headers ?? {})).toEqual(['Link', 'Holdpoint-Cursor']);
    const answers = server.openApi.paths['/v1/runs/{run_id}/questions']?.post;
    const codes = JSON.stringify(answers?.responses);
    const seed = Object.keys(ERRORS).filter((code) => code.startsWith('question_'));
    for (const code of seed) expect(codes).toContain(`"${code}"`);
    expect(seed).toHaveLength(12);
  });
});
