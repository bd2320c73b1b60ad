// The skill identity: a signed token that a managed run receives. Every forgery of it is
// refused.
// Covers: src/gateway/signed-token.ts
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ClaimedRunView } from '../../src/core/views.ts';
import { signToken } from '../../src/gateway/signed-token.ts';
import { newSession, ok } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { skillZip } from '../support/skill-zips.ts';

const VARIABLE = 'WEGENT_SKILL_IDENTITY_TOKEN';
const DAY_MS = 24 * 3600 * 1000;
const server = serverForAll();
let url: string;
beforeAll(async () => {
  url = await server.url();
});

interface Hosted {
  identity: string;
  runId: string;
  sessionId: string;
}

let hosts = 0;
/** A run of this person at work, in a session of its own or in this one, with the identity that its worker was given. */
async function hosted(person = server.token, inSession?: string): Promise<Hosted> {
  const label = `host-${++hosts}`;
  const sessionId = inSession ?? (await newSession(server, { agent: 'mock', labels: [label] })).session_id;
  const labels = (await ok(server.get<{ labels?: string[] }>(`/v1/sessions/${sessionId}`))).labels;
  await ok(server.post(`/v1/sessions/${sessionId}/runs`, { input: { text: 'go' } }, { token: person }));
  const claim = { worker_id: label, labels, agents: [{ name: 'mock', recovery: 'none' }] };
  const { run, env } = await ok(server.post<ClaimedRunView>('/v1/workers/claim', claim));
  return { identity: String(env[VARIABLE]), runId: run.run_id, sessionId };
}
const identityFor = async (person?: string): Promise<string> => (await hosted(person)).identity;
const complete = (runId: string) => ok(server.post(`/v1/runs/${runId}/complete`));
const as = (token: string) => createClient({ url, token });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.slice(4).split('.')[0] ?? '', 'base64url').toString());
const list = (token: string) => server.raw('GET', '/api/v1/kinds/skills', undefined, { token });
const file = (name = 'review-notes') => ({
  file: new Blob([new Uint8Array(skillZip(name))]),
  fileName: `${name}.zip`,
});

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
    const mine = as(await identityFor(lead));
    const skill = await mine.skills.upload(file());
    expect((await mine.skills.list({ name: 'review-notes', exact_match: true })).items).toEqual([skill]);
    expect(await mine.skills.replace(skill.id, file())).toMatchObject({ id: skill.id });
    const theirs = as(await identityFor());
    await expect(theirs.skills.replace(skill.id, file())).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
    await expect(mine.skills.download(skill.id)).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
    await expect(mine.skills.remove(skill.id)).rejects.toMatchObject({ code: 'skill_identity_not_allowed' });
  });

  it('finding 14: publishes at most a hundred skills for its user', async () => {
    const { token, name } = await server.makeToken('operator', undefined, { name: 'prolific' });
    const mine = as(await identityFor(token));
    const { id } = await mine.skills.upload(file('first-of-many'));
    await server.ports.store.write(async (tx) => {
      const skill = await tx.get('skill', id);
      for (let n = 2; skill && n <= 100; n++)
        await tx.insert('skill', { ...skill, id: `skl_many_${n}`, name: `many-${n}`, author: name });
    });
    await expect(mine.skills.upload(file('one-too-many'))).rejects.toMatchObject({ code: 'skills_limit' });
    expect(await mine.skills.replace(id, file('first-of-many'))).toMatchObject({ id });
    await as(token).skills.upload(file('one-too-many'));
  });
});

describe('finding 18: a skill identity is worth no more than its run', () => {
  it('is refused once its run is over', async () => {
    const { identity, runId } = await hosted();
    expect((await list(identity)).status).toBe(200);
    await complete(runId);
    expect((await list(identity)).status).toBe(401);
    await expect(as(identity).skills.upload(file('late-notes'))).rejects.toMatchObject({ status: 401 });
  });

  it('overwrites no skill of its person that another session published', async () => {
    const first = await hosted();
    const skill = await as(first.identity).skills.upload(file('shared-notes'));
    const other = as(await identityFor());
    await expect(other.skills.replace(skill.id, file('shared-notes'))).rejects.toMatchObject({
      code: 'skill_identity_not_allowed',
    });
    const own = await server.raw('GET', `/api/v1/kinds/skills?name=shared-notes`);
    expect(own.body).toEqual({ items: [skill] });
  });

  it('overwrites no skill that its person published without a run', async () => {
    const skill = await as(server.token).skills.upload(file('hand-made'));
    await expect(as(await identityFor()).skills.replace(skill.id, file('hand-made'))).rejects.toMatchObject({
      code: 'skill_identity_not_allowed',
    });
    expect(await as(server.token).skills.replace(skill.id, file('hand-made'))).toMatchObject({ id: skill.id });
  });

  it('overwrites in a later run what an earlier run of the same session published', async () => {
    const first = await hosted();
    const skill = await as(first.identity).skills.upload(file('grown-notes'));
    await complete(first.runId);
    const second = await hosted(server.token, first.sessionId);
    expect(await as(second.identity).skills.replace(skill.id, file('grown-notes'))).toMatchObject({ id: skill.id });
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
    ['another run', (c) => ({ ...c, runtime_name: 'run_unknown' })],
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
