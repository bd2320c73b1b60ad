// Tests signing in through a link and signing out, and what a viewer may do.
// Covers: web/src/main.tsx, web/src/app.tsx, web/src/pages/sign-in.tsx, web/src/ui/empty-inbox.tsx, web/src/ui/step.tsx
// Covers: web/src/ui/copy-button.tsx, web/src/hooks/me.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ApproveStep } from '../../src/agents/mock/input.ts';
import { playMock } from './mock-run.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

const approve = (id: string): ApproveStep => ({
  do: 'approve',
  id,
  tool_name: 'Bash',
  input: { command: `echo ${id}` },
});

/** The empty inbox names an agent of the server: a request that is cut off by the sign-out would be a complaint. */
const everythingFetched = (page: Page) => page.getByText('holdpoint connect claude').waitFor();

describeInBrowser('signing in', () => {
  const testBed = useTestBed();

  it('signs in with a click on the page of the link, and leaves no code in the address', async () => {
    const { page } = await testBed.signedOut();
    const { url } = await testBed.client.signIn.offer();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(page.url()).toBe(`${testBed.server.url}/sign-in`);
    const { items } = await testBed.client.tokens.list();
    expect(items.filter(({ kind }) => kind === 'browser')).toEqual([]);

    await page.getByLabel('Your name').fill('lead');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${testBed.server.url}/`);
    const signedIn = (await testBed.client.tokens.list()).items.filter(({ kind }) => kind === 'browser');
    expect(signedIn).toMatchObject([{ name: 'lead', scope: 'operator' }]);
  });

  it('stays signed in over a reload, with a cookie that no script can read', async () => {
    const { page, context } = await testBed.signedIn('lead');
    await page.reload();
    const me = await page.evaluate(() => fetch('/v1/me').then((r) => r.json()));
    expect(me).toMatchObject({ name: 'lead', kind: 'browser' });
    expect(await page.evaluate(() => document.cookie)).toMatch(/^holdpoint_csrf=\S+$/);
    const cookies = await context.cookies();
    expect(cookies.find(({ name }) => name === 'holdpoint_session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    });
  });

  it('says that a link was already used, and how to get another', async () => {
    const first = await testBed.signedOut();
    const { url } = await testBed.client.signIn.offer();
    await first.page.goto(url);
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await first.page.waitForURL(`${testBed.server.url}/`);

    const second = await testBed.signedOut();
    await second.page.goto(url);
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    const alert = await second.page.getByRole('alert').textContent();
    expect(alert).toContain('already used');
    expect(alert).toContain('holdpoint sign-in');
    await expectComplaints(second, '410');
  });

  it('shows a browser that is not signed in how to sign in, on every page', async () => {
    const { page } = await testBed.signedOut();
    for (const path of ['/', '/history', '/asks/ask_1']) {
      await page.goto(path);
      await page.getByText('holdpoint sign-in').waitFor();
    }
  });

  it('offers settings, connection and sign-out in the dialog “More” on a phone', async () => {
    const { page } = await testBed.signedIn('mate', {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await everythingFetched(page);
    await page.getByRole('button', { name: 'More' }).click();
    const more = page.getByRole('dialog', { name: 'More' });
    await more.getByText('Live · mate').waitFor();
    await more.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.getByRole('button', { name: 'System' }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBeUndefined();
    await page.getByRole('button', { name: 'More' }).click();
    await more.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('holdpoint sign-in').waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('signs out in the browser and on the server', async () => {
    const { page } = await testBed.signedIn('mate');
    await everythingFetched(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('holdpoint sign-in').waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const { items } = await testBed.client.tokens.list();
    expect(items.findLast(({ name }) => name === 'mate')?.revoked_at_ms).toBeDefined();
  });

  it('offers a viewer nothing to answer or to start with', async () => {
    const run = await playMock(testBed.client, approve('viewed'));
    const { ask_id, run_id } = await run.ask('viewed');
    const { page } = await testBed.signedOut();
    await page.goto((await testBed.client.signIn.offer({ name: 'mate', scope: 'viewer' })).url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You have view-only access').waitFor();
    await page.getByText('echo viewed').first().waitFor();
    expect(
      await page
        .getByRole('article')
        .getByRole('button', { name: /Allow|Deny|Edit/ })
        .count(),
    ).toBe(0);
    await page.keyboard.press('a');
    // A run, which the server would refuse, is not offered either.
    await page.keyboard.press('n');
    await page.goto('/sessions');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await page.getByRole('button', { name: /New run|Start a run/ }).count()).toBe(0);
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto(`/sessions/${run.sessionId}`);
    await page.getByText('You have view-only access.', { exact: true }).waitFor();
    expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
    await testBed.client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'allow' }] });
  });

  it('shows a viewer all that is asked', async () => {
    const work_folder = '/srv/shop';
    const reason = 'a clean build';
    const options = [{ label: 'Staging', description: 'nobody notices' }, { label: 'Production' }];
    const run = await playMock(testBed.client, {
      do: 'parallel',
      asks: [
        { ...approve('whole'), reason, work_folder },
        { do: 'ask', id: 'which', questions: [{ id: 'where', question: 'Where to?', options }] },
      ],
    });
    await Promise.all([run.ask('whole'), run.ask('which')]);
    const { page } = await testBed.signedOut();
    await page.goto((await testBed.client.signIn.offer({ name: 'mate', scope: 'viewer' })).url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`/sessions/${run.sessionId}`);
    for (const text of ['echo whole', reason, work_folder, 'Where to?', 'Staging', 'nobody notices', 'Production'])
      await page.getByRole('article').getByText(text).first().waitFor();
    await testBed.client.runs.cancel(run.runId);
  });
});
