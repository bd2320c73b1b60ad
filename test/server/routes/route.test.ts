// What holds for every route of the OpenAPI document: unknown ids are refused and GET changes nothing.
// Covers: src/gateway/records.ts
import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { allow, held, resolution, resolutions, showAsk } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { skillZip } from '../../support/skill-zips.ts';

const server = serverForAll();

it('changes nothing on any GET route', async () => {
  const h = await held(server);
  const client = createClient({ url: await server.url(), token: server.token });
  const webhook = await client.webhooks.add({ name: 'ci', url: 'https://hooks.example/1' });
  const skill = await client.skills.upload({
    file: new Blob([new Uint8Array(skillZip())]),
    fileName: 'review-notes.zip',
  });
  const before = (await server.get('/v1/events?limit=500')).text;
  for (const template of Object.keys(server.openApi.paths)) {
    if (!server.openApi.paths[template]?.get) continue;
    const path = template
      .replace('{session_id}', h.sessionId)
      .replace('{run_id}', h.runId)
      .replace('{ask_id}', h.ask.ask_id)
      .replace('{thread_id}', `thr_${h.sessionId}`)
      .replace('{skill_id}', skill.id)
      .replace('{webhook_id}', webhook.webhook_id);
    expect((await server.raw('GET', path)).status, path).toBeLessThan(300);
  }
  expect((await server.get('/v1/events?limit=500')).text).toBe(before);
});

it('answers 404 to an unknown id in the path of any route, with a valid body', async () => {
  const wrong: string[] = [];
  let walked = 0;
  for (const [template, methods] of Object.entries(server.openApi.paths)) {
    if (!template.includes('{')) continue;
    for (const method of Object.keys(methods)) {
      // Its body is a zip: skills.test.ts sends it.
      if (method === 'put' && template.includes('{skill_id}')) continue;
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'thread_id' ? 'thr_nope' : 'nope'));
      const examples = methods[method]?.requestBody?.content['application/json']?.examples ?? {};
      const body = method === 'post' ? (Object.values(examples)[0]?.value ?? {}) : undefined;
      const reply = await server.call(method.toUpperCase(), path, body);
      walked += 1;
      if (reply.status !== 404) wrong.push(`${method} ${template}: ${reply.status} ${reply.text}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(walked).toBeGreaterThan(30);
});

it('answers 404 to an unknown id in a filter', async () => {
  for (const path of [
    '/v1/asks?session_id=nope',
    '/v1/asks?run_id=nope',
    '/v1/runs?session_id=nope',
    '/v1/questions?session_id=nope',
    '/v1/approvals?session_id=nope',
  ])
    expect((await server.get(path)).status, path).toBe(404);
});

it('refuses the ask id of another run and changes nothing', async () => {
  const [mine, other] = [await held(server), await held(server)];
  const replies = [
    await server.post(`/v1/runs/${mine.runId}/questions`, resolution(other.ask.ask_id)),
    await server.post(`/v1/runs/${mine.runId}/questions/${other.ask.ask_id}/cancel`),
    await server.post(`/v1/runs/${mine.runId}/approvals`, resolutions(allow(other.ask.ask_id))),
  ];
  for (const reply of replies) expect(reply.status).toBe(400);
  expect((await showAsk(server, other.ask.ask_id)).status).toBe('pending');
});
