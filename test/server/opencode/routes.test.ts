// The published SDK of OpenCode, unmodified, at the door: it lists, decides and answers what any agent asks, sees what has
// ended, and two clients race.
// Covers: src/server/opencode/
import { expect, it } from 'vitest';
import type { GrantView } from '../../../src/core/grant.ts';
import { allow, decide, held, ok, raiseApproval, showAsk } from '../../support/api-calls.ts';
import { openServer } from '../../support/server.ts';
import { operatorForAll, serverForAll } from '../../support/shared-fixtures.ts';
import { basic, firstSdk, follow, permissionId, questionId, sdk } from './test-bed.ts';

const server = serverForAll();
const ann = operatorForAll(server, 'ann');

it('lists a pending approval with its command, its tool call and its session', async () => {
  const h = await held(server, { kind: 'approval' }, { work_folder: '/srv/lists', title: 'a build' });
  const client = await sdk(server, { directory: '/srv/lists' });
  const { data } = await client.permission.list();
  expect(data).toEqual([
    {
      id: permissionId(h.ask.ask_id),
      sessionID: h.sessionId,
      permission: 'bash',
      patterns: ['rm -rf build'],
      metadata: expect.objectContaining({
        command: 'rm -rf build',
        holdpoint: expect.objectContaining({ ask_id: h.ask.ask_id }),
      }),
      always: ['rm -rf build'],
      tool: { messageID: expect.stringMatching(/^msg_/), callID: h.ask.tool_call_id },
    },
  ]);
  const [asked] = data ?? [];
  const { data: messages } = await client.session.messages({ sessionID: h.sessionId });
  const call = messages?.find(({ info }) => info.id === asked?.tool?.messageID)?.parts[0];
  expect(call).toMatchObject({
    type: 'tool',
    callID: asked?.tool?.callID,
    state: { status: 'running', input: { command: 'rm -rf build' } },
  });
  const { data: sessions } = await client.session.list();
  expect(sessions).toMatchObject([{ id: h.sessionId, title: 'a build', directory: '/srv/lists' }]);
});

it('allows once in the name of the token, and gives 404 to the second reply', async () => {
  const h = await held(server, { kind: 'approval' });
  const client = await sdk(server, { token: ann.token });
  const requestID = permissionId(h.ask.ask_id);
  expect((await client.permission.reply({ requestID, reply: 'once', message: 'looks right' })).data).toBe(true);
  const { answer } = await showAsk(server, h.ask.ask_id);
  expect(answer).toMatchObject({
    behavior: 'allow',
    answered_by: 'ann',
    surface: 'opencode',
    justification: 'looks right',
  });
  const second = await client.permission.reply({ requestID, reply: 'once' });
  expect([second.response?.status, second.error]).toEqual([
    404,
    { _tag: 'PermissionNotFoundError', requestID, message: `Permission request not found: ${requestID}` },
  ]);
});

it('rejects with and without a message, and nothing but the request that was named', async () => {
  const h = await held(server, { kind: 'approval' });
  const other = await raiseApproval(server, h.runId);
  const client = await sdk(server);
  expect(
    (
      await client.permission.reply({
        requestID: permissionId(h.ask.ask_id),
        reply: 'reject',
        message: 'use make clean',
      })
    ).data,
  ).toBe(true);
  expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ behavior: 'deny', reason: 'use make clean' });
  expect((await showAsk(server, other.ask_id)).status).toBe('pending');
  expect((await client.permission.reply({ requestID: permissionId(other.ask_id), reply: 'reject' })).data).toBe(true);
  expect((await showAsk(server, other.ask_id)).answer).toMatchObject({ behavior: 'deny', reason: 'approval denied' });
});

it('takes `always` as a grant for exactly what it lists: the same call passes, another is asked', async () => {
  const command = { input: { command: 'make test' } };
  const h = await held(server, { kind: 'approval', ...command }, { work_folder: '/srv/always' });
  const client = await sdk(server, { directory: '/srv/always' });
  const [asked] = (await client.permission.list()).data ?? [];
  expect(asked?.always).toEqual(['make test']);
  const stream = await follow(client);
  const requestID = permissionId(h.ask.ask_id);
  expect((await client.permission.reply({ requestID, reply: 'always' })).data).toBe(true);
  expect((await stream.until('permission.replied')).properties.reply).toBe('always');
  stream.stop();
  expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({
    behavior: 'allow',
    grant_id: expect.any(String),
  });
  const [grant] = await ok(server.get<GrantView[]>(`/v1/grants?session_id=${h.sessionId}`));
  expect(grant).toMatchObject({ scope: 'session', matches: { command: ['make test'] }, given_by: 'operator' });
  const same = await raiseApproval(server, h.runId, command);
  expect(same.answer).toMatchObject({ behavior: 'allow', answered_by: `grant:${grant?.grant_id}` });
  for (const wider of ['make test deploy', 'make test; rm -rf ~', 'make'])
    expect((await raiseApproval(server, h.runId, { input: { command: wider } })).status).toBe('pending');
});

it('refuses `always` where nothing is listed, and leaves the ask pending', async () => {
  const { ask } = await held(server, { kind: 'approval', tool_name: 'Send', input: { to: ['all'] } });
  const client = await sdk(server);
  const refused = await client.permission.reply({ requestID: permissionId(ask.ask_id), reply: 'always' });
  const error = { name: 'BadRequest', data: { kind: 'Payload', message: expect.stringContaining('nothing to allow') } };
  expect([refused.response?.status, refused.error]).toEqual([400, error]);
  expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
});

it('lets the first generation of the client reply by session and permission', async () => {
  const h = await held(server, { kind: 'approval' });
  const other = await held(server, { kind: 'approval' });
  const client = await firstSdk(server);
  const at = (id: string, permissionID: string) =>
    client.postSessionIdPermissionsPermissionId({ path: { id, permissionID }, body: { response: 'once' } });
  expect((await at(other.sessionId, permissionId(h.ask.ask_id))).response?.status).toBe(404);
  const lost = await at('ses_missing', permissionId(h.ask.ask_id));
  expect(lost.error).toEqual({ name: 'NotFoundError', data: { message: 'Session not found: ses_missing' } });
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  expect((await at(h.sessionId, permissionId(h.ask.ask_id))).data).toBe(true);
  expect((await showAsk(server, h.ask.ask_id)).answer?.behavior).toBe('allow');
});

it('gives 404 for an ask whose time is over', async () => {
  const own = await openServer();
  try {
    const client = await sdk(own);
    const approval = await held(own, { kind: 'approval', expires_after_ms: 1000 });
    const question = await held(own, { expires_after_ms: 1000 });
    own.advance(1001);
    const requestID = permissionId(approval.ask.ask_id);
    expect((await client.permission.reply({ requestID, reply: 'once' })).response?.status).toBe(404);
    expect((await client.question.reject({ requestID: questionId(question.ask.ask_id) })).response?.status).toBe(404);
    expect((await client.permission.list()).data).toEqual([]);
    expect((await showAsk(own, approval.ask.ask_id)).answer).toMatchObject({ outcome: 'expired', behavior: 'deny' });
  } finally {
    await own.close();
  }
});

it('gives 404 for an id that does not exist, is of the other kind, has ended elsewhere or is of another folder', async () => {
  const question = await held(server);
  const approval = await held(server, { kind: 'approval' }, { work_folder: '/srv/here' });
  const client = await sdk(server);
  for (const askId of ['ask_missing', question.ask.ask_id])
    expect((await client.permission.reply({ requestID: permissionId(askId), reply: 'once' })).response?.status).toBe(
      404,
    );
  expect((await client.question.reject({ requestID: questionId(approval.ask.ask_id) })).response?.status).toBe(404);
  const elsewhere = await sdk(server, { directory: '/srv/there' });
  const requestID = permissionId(approval.ask.ask_id);
  expect((await elsewhere.permission.list()).data).toEqual([]);
  expect((await elsewhere.permission.reply({ requestID, reply: 'once' })).response?.status).toBe(404);
  expect((await showAsk(server, approval.ask.ask_id)).status).toBe('pending');
  await ok(decide(server, approval.runId, allow(approval.ask.ask_id)));
  expect((await client.permission.reply({ requestID, reply: 'reject' })).response?.status).toBe(404);
  await ok(server.post(`/v1/runs/${question.runId}/cancel`));
  expect((await client.question.reject({ requestID: questionId(question.ask.ask_id) })).response?.status).toBe(404);
});

it('refuses wrong ids and bodies with the errors of the real server', async () => {
  const call = async (path: string, body?: string) => {
    const reply = await server.raw('POST', `/opencode${path}`, body);
    return [reply.status, reply.body];
  };
  const bad = (message: string, kind = 'Payload') => [400, { name: 'BadRequest', data: { message, kind } }];
  expect(await call('/permission/foo/reply', '{"reply":"once"}')).toEqual(
    bad('Expected a string starting with "per", got "foo"\n  at ["requestID"]', 'Params'),
  );
  expect(await call('/permission/per_x/reply', '{"reply":"maybe"}')).toEqual(
    bad('Expected "once" | "always" | "reject", got "maybe"\n  at ["reply"]'),
  );
  expect(await call('/permission/per_x/reply')).toEqual(bad('Expected object, got undefined'));
  expect(await call('/question/que_x/reply', '{"answers":"a"}')).toEqual(
    bad('Expected array, got "a"\n  at ["answers"]'),
  );
  expect(await call('/question/que_x/reply', '{"answers":[[1]]}')).toEqual(
    bad('Expected string, got 1\n  at ["answers"][0][0]'),
  );
  expect(await call('/question/que_x/reply', '{bad')).toMatchObject([400, { name: 'BadRequest' }]);
  const twice = await server.raw('GET', '/opencode/session?search=a&search=b');
  expect([twice.status, twice.body]).toMatchObject([400, { name: 'BadRequest', data: { kind: 'Query' } }]);
  const folders = await server.raw('GET', '/opencode/permission?directory=/srv/a&directory=/srv/b');
  expect(folders.status).toBe(400);
  expect(await call('/session/ses_x/prompt_async', '{}')).toMatchObject([404, { name: 'NotFoundError' }]);
});

it('settles both of two clients that race with different replies', async () => {
  const h = await held(server, { kind: 'approval' });
  const [one, two] = [await sdk(server, { token: ann.token }), await sdk(server)];
  const requestID = permissionId(h.ask.ask_id);
  const [streamOne, streamTwo] = [await follow(one), await follow(two)];
  const replies = await Promise.all([
    one.permission.reply({ requestID, reply: 'once' }),
    two.permission.reply({ requestID, reply: 'reject' }),
  ]);
  expect(replies.map(({ response }) => response?.status).sort()).toEqual([200, 404]);
  const { answer } = await showAsk(server, h.ask.ask_id);
  const reply = answer?.behavior === 'allow' ? 'once' : 'reject';
  for (const stream of [streamOne, streamTwo]) {
    const { properties } = await stream.until('permission.replied', (e) => e.properties.requestID === requestID);
    expect(properties).toEqual({ sessionID: h.sessionId, requestID, reply });
    stream.stop();
  }
  expect(replies[reply === 'once' ? 0 : 1]?.response?.status).toBe(200);
});

it('takes HTTP Basic with the user opencode at the door alone', async () => {
  const status = async (path: string, authorization: string) =>
    (await server.raw('GET', path, undefined, { token: null, headers: { authorization } })).status;
  expect(await status('/opencode/permission', basic(server.token))).toBe(200);
  expect(await status('/opencode/permission', `Bearer ${server.token}`)).toBe(200);
  for (const wrong of [basic('hp_wrong'), basic(server.token, 'root'), basic(''), 'Basic !!!', 'Basic'])
    expect(await status('/opencode/permission', wrong)).toBe(401);
  expect(await status('/v1/asks', basic(server.token))).toBe(401);
  const refused = await server.raw('GET', '/opencode/permission', undefined, { token: null });
  expect([refused.headers['www-authenticate'], refused.body]).toMatchObject([
    'Basic realm="holdpoint"',
    { name: 'UnauthorizedError', data: { message: expect.any(String) } },
  ]);
});

it('refuses replies of a viewer, and every call of an agent or a worker, and leaves the ask pending', async () => {
  const h = await held(server, { kind: 'approval' });
  const requestID = permissionId(h.ask.ask_id);
  const viewer = await sdk(server, { token: (await server.makeToken('viewer')).token });
  expect((await viewer.permission.list()).data?.map(({ id }) => id)).toContain(requestID);
  const refused = await viewer.permission.reply({ requestID, reply: 'once' });
  expect([refused.response?.status, refused.error]).toMatchObject([403, { name: 'ForbiddenError' }]);
  for (const scope of ['worker', 'agent', 'attached']) {
    const sessionId = scope === 'agent' ? h.sessionId : undefined;
    const client = await sdk(server, { token: (await server.makeToken(scope, sessionId)).token });
    expect((await client.permission.list()).response?.status).toBe(403);
    expect((await client.permission.reply({ requestID, reply: 'once' })).response?.status).toBe(403);
  }
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
});

it('refuses other hosts, other origins, and a browser that sends a kept password from another page', async () => {
  const h = await held(server, { kind: 'approval' });
  const path = `/opencode/permission/${permissionId(h.ask.ask_id)}/reply`;
  const authorization = basic(server.token);
  for (const headers of [
    { host: 'evil.example' },
    { origin: 'http://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const reply = await server.raw('POST', path, '{"reply":"once"}', {
      token: null,
      headers: { authorization, ...headers },
    });
    expect([reply.status, reply.body]).toMatchObject([403, { name: 'ForbiddenError' }]);
  }
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
});
