// `holdpoint sign-in`: the link alone on standard output, for the person and scope that were named.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MeView } from '../../src/core/views.ts';
import { send } from '../support/wire.ts';
import { openStage, PATIENT, type Stage, strike } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(strike);

const use = (url: string) =>
  send<MeView>(stage.server.url, {
    path: '/v1/sign-in',
    body: { code: url.split('#')[1] },
    headers: { origin: stage.server.url },
  });

describe('holdpoint sign-in', PATIENT, () => {
  it('prints a link that works once', async () => {
    const { code, stdout, stderr } = await stage.run(['sign-in']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${stage.server.url}/sign-in#[\\w-]+\\n$`));
    expect(stderr).toContain('works once');
    expect(await use(stdout.trim())).toMatchObject({ status: 200, body: { scope: 'operator' } });
    expect((await use(stdout.trim())).status).toBe(410);
  });

  it('is for somebody, and may let only look', async () => {
    const { stdout } = await stage.run(['sign-in', '--name', 'mate', '--scope', 'viewer', '--json']);
    const { url } = JSON.parse(stdout) as { url: string };
    expect((await use(url)).body).toMatchObject({ name: 'mate', scope: 'viewer' });
    expect((await stage.run(['tokens', 'list'])).stdout).toContain('mate');
    const wrong = await stage.run(['sign-in', '--scope', 'worker']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('operator, viewer');
  });
});
