// `holdpoint sign-in`: prints the link alone on standard output, for the given name and scope.
import { describe, expect, it } from 'vitest';
import type { MeView } from '../../../src/core/views.ts';
import { send } from '../../support/http.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

const use = (url: string) =>
  send<MeView>(bed.server.url, {
    path: '/v1/sign-in',
    body: { code: url.split('#')[1] },
    headers: { origin: bed.server.url },
  });

describe('holdpoint sign-in', PATIENT, () => {
  it('prints a link that works once', async () => {
    const { code, stdout, stderr } = await bed.run(['sign-in']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${bed.server.url}/sign-in#[\\w-]+\\n$`));
    expect(stderr).toContain('works once');
    expect(await use(stdout.trim())).toMatchObject({ status: 200, body: { scope: 'operator' } });
    expect((await use(stdout.trim())).status).toBe(410);
  });

  it('takes a name, and a scope that may only look', async () => {
    const { stdout } = await bed.run(['sign-in', '--name', 'mate', '--scope', 'viewer', '--json']);
    const { url } = JSON.parse(stdout) as { url: string };
    expect((await use(url)).body).toMatchObject({ name: 'mate', scope: 'viewer' });
    expect((await bed.run(['tokens', 'list'])).stdout).toContain('mate');
    const wrong = await bed.run(['sign-in', '--scope', 'worker']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('operator, viewer');
  });
});
