// Skills over the API: published, listed, overwritten, fetched, removed; and every refused zip stores nothing.
// Covers: src/core/skill.ts, src/gateway/skill.ts, src/skills/archive.ts
import { hash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { HoldpointProblem } from '../../../src/client/http.ts';
import { fetchSkill } from '../../../src/client/skill-files.ts';
import type { SkillView } from '../../../src/core/skill.ts';
import { eventsOfSession, typesOf } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { BAD, GUIDE, skillZip, zip } from '../../support/skill-zips.ts';

const server = serverForAll();
let api: ReturnType<typeof createClient>;
beforeAll(async () => {
  api = createClient({ url: await server.url(), token: server.token });
});
afterEach(async () => {
  for (const { id } of (await api.skills.list()).items) await api.skills.remove(id);
});

const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]);
const upload = (bytes = skillZip(), more: { name?: string; namespace?: string; fileName?: string } = {}) =>
  api.skills.upload({ file: blob(bytes), fileName: 'review-notes.zip', ...more });
const publish = (name: string, namespace?: string) =>
  upload(skillZip(name), { fileName: `${name}.zip`, ...(namespace !== undefined && { namespace }) });
const problem = async (call: Promise<unknown>): Promise<{ status: number; code: string; detail: string }> => {
  const error = await call.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(HoldpointProblem);
  const { status, code, detail } = error as HoldpointProblem;
  return { status, code, detail };
};

describe('a skill', () => {
  it('is published, listed, fetched with its ETag, overwritten and removed', async () => {
    const bytes = skillZip();
    const skill = await upload(bytes);
    expect(skill).toEqual({
      id: expect.stringMatching(/^skl_/),
      name: 'review-notes',
      namespace: 'default',
      description: 'How to write review notes.',
      version: '1.2',
      sha256: hash('sha256', bytes, 'hex'),
      size: bytes.length,
      created_at_ms: expect.any(Number),
      updated_at_ms: expect.any(Number),
    });
    expect(await api.skills.list()).toEqual({ items: [skill] });
    expect(Buffer.from(await api.skills.download(skill.id)).equals(bytes)).toBe(true);
    const path = `/api/v1/kinds/skills/${skill.id}/download`;
    const fetched = await server.raw('GET', path);
    expect(fetched.headers).toMatchObject({ etag: `"${skill.sha256}"`, 'content-type': 'application/zip' });
    for (const known of [`"${skill.sha256}"`, `W/"${skill.sha256}"`, `"x", "${skill.sha256}"`, '*']) {
      const again = await server.raw('GET', path, undefined, { headers: { 'if-none-match': known } });
      expect(again).toMatchObject({ status: 304, text: '' });
    }
    expect((await server.raw('GET', path, undefined, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);

    const guide = GUIDE.replace('1.2', '2.0');
    const newer = skillZip('review-notes', guide);
    const replaced = await api.skills.replace(skill.id, { file: blob(newer), fileName: 'review-notes.zip' });
    expect(replaced).toMatchObject({
      id: skill.id,
      name: 'review-notes',
      version: '2.0',
      created_at_ms: skill.created_at_ms,
    });
    expect(Buffer.from(await api.skills.download(skill.id)).equals(newer)).toBe(true);
    await api.skills.remove(skill.id);
    expect(await api.skills.list()).toEqual({ items: [] });
    const gone = api.skills.replace(skill.id, { file: blob(newer), fileName: 'review-notes.zip' });
    expect(await problem(gone)).toMatchObject({ status: 404, code: 'skill_not_found' });
    expect(await problem(api.skills.download(skill.id))).toMatchObject({ status: 404, code: 'skill_not_found' });
    const told = typesOf(await eventsOfSession(server, 'system')).filter((type) => type.startsWith('skill.'));
    expect(told.slice(-3)).toEqual(['skill.published', 'skill.replaced', 'skill.deleted']);
  });

  it('is found by part of its name, or exactly, in its namespace, page by page', async () => {
    for (const name of ['review-notes', 'review-notes-2', 'a_b', 'axb', 'Review-Notes']) await publish(name);
    await publish('review-notes', 'team');
    const names = async (query: object) => (await api.skills.list(query)).items.map((s: SkillView) => s.name);
    expect(await names({ name: 'review-notes', exact_match: true })).toEqual(['review-notes']);
    // As Python's requests writes it.
    expect(await names({ name: 'review-notes', exact_match: 'True' })).toEqual(['review-notes']);
    expect(await names({ name: 'NOTES' })).toEqual(['review-notes', 'review-notes-2', 'Review-Notes']);
    expect(await names({ name: 'a_b' })).toEqual(['a_b']);
    expect(await names({ name: '%' })).toEqual([]);
    expect(await names({ namespace: 'team' })).toEqual(['review-notes']);
    expect(await names({ namespace: 'nobody' })).toEqual([]);
    expect(await names({ skip: 1, limit: 2 })).toEqual(['review-notes-2', 'a_b']);
    for (const query of [{ limit: 0 }, { limit: 101 }, { skip: -1 }, { surprise: 1 }])
      expect(await problem(api.skills.list(query)), JSON.stringify(query)).toMatchObject({ status: 400 });
  });

  it('is taken from a zip of macOS, without what macOS added beside its folder', async () => {
    const added = { '__MACOSX/': new Uint8Array(), '__MACOSX/review-notes/._SKILL.md': Buffer.from('Mac OS X') };
    await upload(zip({ 'review-notes/SKILL.md': Buffer.from(GUIDE), ...added }));
    const { files } = await fetchSkill(api, 'review-notes');
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md']);
  });

  it('is listed for a caller that names its task', async () => {
    const skill = await upload();
    const query = 'name=review-notes&exact_match=True&task_id=77';
    const listed = await server.raw('GET', `/api/v1/kinds/skills?${query}`);
    expect(JSON.parse(listed.text)).toEqual({ items: [skill] });
  });

  it('is published once when it is published several times at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => upload()));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    for (const r of results)
      if (r.status === 'rejected') expect(r.reason).toMatchObject({ status: 409, code: 'skill_exists' });
    expect((await api.skills.list()).items).toHaveLength(1);
  });

  it.each(['..', '.hidden', 'a/b', 'a b', '', 'x'.repeat(65), 'end.'])('is refused with the name %j', async (name) => {
    expect(await problem(upload(skillZip(), { name }))).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('an upload that is not a skill', () => {
  it.each(BAD)('is refused with the reason and stores nothing: %s', async (_, make, reason) => {
    const { status, code, detail } = await problem(upload(make()));
    expect({ status, code }).toEqual({ status: 400, code: 'invalid_skill' });
    expect(detail).toMatch(reason);
    expect(await api.skills.list()).toEqual({ items: [] });
  });

  it('does not overwrite an existing skill', async () => {
    const skill = await upload();
    for (const [, make] of BAD.slice(0, 12)) {
      const file = blob(make());
      await expect(api.skills.replace(skill.id, { file, fileName: 'review-notes.zip' })).rejects.toThrow();
    }
    expect(await api.skills.list()).toEqual({ items: [skill] });
  });

  it('is refused when the zip has another name, for publishing and for overwriting', async () => {
    expect(await problem(upload(skillZip(), { name: 'other' }))).toEqual({
      status: 400,
      code: 'invalid_skill',
      detail: 'This is not the skill "other": its zip and the folder in it are called "review-notes".',
    });
    const skill = await upload();
    const other = { file: blob(skillZip('other')), fileName: 'other.zip' };
    expect(await problem(api.skills.replace(skill.id, other))).toMatchObject({ status: 400, code: 'invalid_skill' });
    expect(await api.skills.list()).toEqual({ items: [skill] });
    expect(hash('sha256', await api.skills.download(skill.id), 'hex')).toBe(skill.sha256);
  });

  it('is refused with 413 over 10 MiB', async () => {
    const noise = Buffer.alloc(11 * 1024 * 1024, 7);
    expect(await problem(upload(noise))).toMatchObject({ status: 413, code: 'skill_too_large' });
    expect(await api.skills.list()).toEqual({ items: [] });
  });

  it.each([
    ['no multipart', 'application/json', '{}', 415],
    [
      'no file',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n',
      400,
    ],
    ['a broken multipart', 'multipart/form-data; boundary=b', '--b\r\nnonsense', 400],
    ['no boundary', 'multipart/form-data', 'x', 400],
  ])('is refused with %s', async (_, type, body, status) => {
    const headers = { 'content-type': type };
    const reply = await server.raw('POST', '/api/v1/kinds/skills/upload', body, { headers });
    expect(reply.status, reply.text).toBe(status);
  });

  it('is refused when the file name differs from the folder, and when it is not a .zip', async () => {
    expect((await problem(upload(skillZip(), { fileName: 'other.zip' }))).detail).toContain(
      'outside the folder "other"',
    );
    expect((await problem(upload(skillZip(), { fileName: 'review-notes.tar' }))).detail).toContain('must be a .zip');
  });

  it('is refused as multipart on every other route', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const reply = await server.raw('POST', '/v1/sessions', '--b--\r\n', { headers });
    expect(reply.status).toBe(415);
  });
});

it('refuses a zip of empty folders', async () => {
  expect((await problem(upload(zip({ 'review-notes/': new Uint8Array() })))).detail).toContain('SKILL.md');
});
