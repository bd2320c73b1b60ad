// Named regressions of other systems, the ones about who is let in and who is told: clickers without the right, pages
// without an Origin.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import {
  allow,
  answer,
  type Held,
  held,
  ok,
  picks,
  refusal,
  resolution,
  resolutions,
  showAsk,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { skillZip } from '../support/skill-zips.ts';

const server = serverForAll();

describe('#17 unauthorised clicker told', () => {
  it('whoever may not answer is told so in words, with the scope it takes, and the ask stays open', async () => {
    const h = await held(server);
    const a = await held(server, { kind: 'approval' });
    for (const token of [
      (await server.makeToken('viewer')).token,
      (await server.makeToken('worker')).token,
      (await server.makeToken('agent', h.sessionId)).token,
    ]) {
      const problem = await refusal(answer(server, h, picks('openai'), { token }), 403, 'scope_forbidden');
      expect(problem.detail).toMatch(/may not .* It takes: operator/);
      const decision = resolutions(allow(a.ask.ask_id));
      await refusal(server.post(`/v1/runs/${a.runId}/approvals`, decision, { token }), 403, 'scope_forbidden');
    }
    for (const { ask } of [h, a]) expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
    await ok(answer(server, h));
  });

  it('a token that was good once is told that it is not any more', async () => {
    const h = await held(server);
    const { token, token_id } = await server.makeToken('operator');
    await ok(server.call('DELETE', `/v1/tokens/${token_id}`));
    const problem = await refusal(answer(server, h, picks('openai'), { token }), 401, 'unauthenticated');
    expect(problem.detail).toMatch(/unknown, expired or revoked/);
  });
});

describe('#30 `Origin` absent must not mean allowed', () => {
  const send = (h: Held, headers: Record<string, string>, token: string | null) =>
    server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { headers, token });

  it('no Origin and no token: refused; no Origin and a rebound Host: refused even with a token', async () => {
    const h = await held(server);
    await refusal(send(h, {}, null), 401, 'unauthenticated');
    await refusal(send(h, { cookie: `holdpoint=${server.token}` }, null), 401, 'unauthenticated');
    await refusal(send(h, { host: 'attacker.example' }, server.token), 403, 'host_not_allowed');
    await refusal(server.get('/v1/asks', { token: null, headers: {} }), 401, 'unauthenticated');
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it('an Origin that lies is refused, an opaque one as well', async () => {
    const h = await held(server);
    for (const origin of ['https://attacker.example', 'null', 'http://localhost:1'])
      await refusal(send(h, { origin, host: 'localhost:4777' }, server.token), 403, 'origin_not_allowed');
  });

  it('GET never decides: no GET route changes anything', async () => {
    const h = await held(server);
    const skill = await createClient({ url: await server.url(), token: server.token }).skills.upload({
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
        .replace('{skill_id}', skill.id);
      expect((await server.raw('GET', path)).status, path).toBeLessThan(300);
    }
    expect((await server.get('/v1/events?limit=500')).text).toBe(before);
  });

  it('no open GET gives a token away', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/']) {
      const reply = await server.raw('GET', path, undefined, { token: null });
      expect(reply.status).toBe(200);
      expect(reply.text).not.toContain(server.token);
    }
  });
});
