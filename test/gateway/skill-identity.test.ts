// The skill identity: a signed token that a managed run receives. Every forgery of it is
// refused.
// Covers: src/gateway/signed-token.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentContext } from '../../src/agents/agent.ts';
import { mock } from '../../src/agents/mock/agent.ts';
import { createClient } from '../../src/client/client.ts';
import { signToken } from '../../src/gateway/signed-token.ts';
import { ok } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import { skillZip } from '../support/skill-zips.ts';
import { TestBed } from '../support/test-bed.ts';

const VARIABLE = 'WEGENT_SKILL_IDENTITY_TOKEN';
const DAY_MS = 24 * 3600 * 1000;
let server: Server;
let bed: TestBed;
const seen: Record<string, string | undefined>[] = [];
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const run = (context: AgentContext) => {
    seen.push(context.env);
    return mock.run(context);
  };
  await bed.worker({ agents: [{ ...mock, run }] });
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

/** As a managed run of this person finds it in its environment. */
async function identityFor(person = server.token): Promise<string> {
  const api = createClient({ url: bed.url, token: person });
  const { session_id } = await bed.api.sessions.create({ agent: 'mock' });
  const before = seen.length;
  const run = await api.runs.start(session_id, { input: { script: [{ do: 'complete' }] } });
  await bed.over(run.run_id);
  return String(seen[before]?.[VARIABLE]);
}
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.slice(4).split('.')[0] ?? '', 'base64url').toString());
const list = (token: string) => server.raw('GET', '/api/v1/kinds/skills', undefined, { token });
const file = () => ({ file: new Blob([new Uint8Array(skillZip())]), fileName: 'review-notes.zip' });

describe('the skill identity of a managed run', () => {
  it('is a signed token of its type with user, runtime and expiry', async () => {
    const identity = await identityFor();
    expect(claimsOf(identity)).toMatchObject({
      type: 'skill_identity',
      user_name: 'operator',
      runtime_type: 'executor',
      runtime_name: expect.stringMatching(/^run_/),
    });
    const { iat, exp } = claimsOf(identity);
    expect(exp - iat).toBe(DAY_MS);
  });

  it('publishes, finds and overwrites skills in the name of its user only', async () => {
    const lead = (await server.makeToken('operator', undefined, { name: 'lead' })).token;
    const mine = createClient({ url: bed.url, token: await identityFor(lead) });
    const skill = await mine.skills.upload(file());
    expect((await mine.skills.list({ name: 'review-notes', exact_match: true })).items).toEqual([skill]);
    expect(await mine.skills.replace(skill.id, file())).toMatchObject({ id: skill.id });
    const theirs = createClient({ url: bed.url, token: await identityFor() });
    await expect(theirs.skills.replace(skill.id, file())).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
    await expect(mine.skills.download(skill.id)).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
    await expect(mine.skills.remove(skill.id)).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
  });
});

describe('routes for other tokens', () => {
  it('refuse the skill identity with 403, also where no token is needed', async () => {
    const token = await identityFor();
    for (const path of ['/mcp', '/docs', '/openapi.json', '/', '/nowhere'])
      expect((await server.raw('GET', path, undefined, { token })).status, path).toBe(403);
  });

  it('refuse the skill identity in any other header or parameter', async () => {
    const token = await identityFor();
    const basic = Buffer.from(`opencode:${token}`).toString('base64');
    for (const authorization of [`Basic ${basic}`, token, `Token ${token}`])
      expect((await server.raw('GET', '/v1/asks', undefined, { token: null, headers: { authorization } })).status).toBe(
        401,
      );
    const cookie = { cookie: `holdpoint_session=${token}` };
    expect((await server.raw('GET', '/v1/asks', undefined, { token: null, headers: cookie })).status).toBe(401);
  });
});

describe('a forged skill identity', () => {
  const forged = async (change: (claims: Record<string, unknown>) => object) =>
    signToken(server.ports.sealer, 'hps_', change(claimsOf(await identityFor())));

  it.each<[string, (token: string) => string]>([
    [
      'another payload under the same signature',
      (t) => `hps_${Buffer.from('{}').toString('base64url')}.${t.split('.')[1]}`,
    ],
    ['no signature', (t) => String(t.split('.')[0])],
    ['an empty signature', (t) => `${t.split('.')[0]}.`],
    ['half a signature', (t) => t.slice(0, -8)],
    ['a third part', (t) => `${t}.x`],
    ['nothing but the prefix', () => 'hps_'],
    ['garbage', () => 'hps_%%%.%%%'],
  ])('is refused with %s', async (_, change) => {
    const token = await identityFor();
    expect((await list(token)).status).toBe(200);
    expect((await list(change(token))).status).toBe(401);
  });

  it.each<[string, (claims: Record<string, unknown>) => object]>([
    ['a wrong type', (c) => ({ ...c, type: 'session' })],
    ['no type', ({ type: _, ...c }) => c],
    ['a missing claim', ({ runtime_name: _, ...c }) => c],
    ['an expiry that is no number', (c) => ({ ...c, exp: '9999999999999' })],
    ['an expiry in the past', (c) => ({ ...c, exp: 1 })],
    ['another user', (c) => ({ ...c, user_id: 'tok_unknown' })],
    ['a renamed user', (c) => ({ ...c, user_name: 'somebody else' })],
    ['a claim too many', (c) => ({ ...c, scope: 'operator' })],
  ])('is refused with a genuine signature over %s', async (_, change) => {
    expect((await list(await forged((claims) => claims))).status).toBe(200);
    expect((await list(await forged(change))).status).toBe(401);
  });

  it('is refused when it has expired, and when its user is revoked', async () => {
    const mate = await server.makeToken('operator', undefined, { name: 'mate' });
    const token = await identityFor(mate.token);
    expect((await list(token)).status).toBe(200);
    await ok(server.call('DELETE', `/v1/tokens/${mate.token_id}`));
    expect((await list(token)).status).toBe(401);
    const late = await identityFor();
    server.advance(DAY_MS + 1);
    expect((await list(late)).status).toBe(401);
  });
});
