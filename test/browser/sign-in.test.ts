// Signing in through the link, in a real browser: what the person sees, and what stays where.
import { expect, it } from 'vitest';
import { complained, describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('signing in', () => {
  const testBed = useTestBed();

  it('opens nothing by itself, signs in with a click, and leaves no code in the address', async () => {
    const { page } = await testBed.stranger();
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

  it('stays signed in over a reload, with a cookie no script can read', async () => {
    const { page, context } = await testBed.person('lead');
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

  it('says that a link was used, and how to get another', async () => {
    const first = await testBed.stranger();
    const { url } = await testBed.client.signIn.offer();
    await first.page.goto(url);
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await first.page.waitForURL(`${testBed.server.url}/`);

    const second = await testBed.stranger();
    await second.page.goto(url);
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    const alert = await second.page.getByRole('alert').textContent();
    expect(alert).toContain('already used');
    expect(alert).toContain('holdpoint sign-in');
    await complained(second, '410');
  });

  it('keeps a stranger out of every page, and says what to do', async () => {
    const { page } = await testBed.stranger();
    for (const path of ['/', '/history', '/asks/ask_1']) {
      await page.goto(path);
      await page.getByText('holdpoint sign-in').waitFor();
    }
  });

  it('tells whoever mistypes an address, in words', async () => {
    const visitor = await testBed.person('lead');
    const { page } = visitor;
    expect((await page.goto('/histroy'))?.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'To the inbox' }).click();
    await page.getByText('all clear').waitFor();
    await complained(visitor, '404');
  });

  it('on a phone too: theme, connection and the way out are behind “More”', async () => {
    const { page } = await testBed.person('mate', {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await page.getByRole('button', { name: 'More' }).click();
    const more = page.getByRole('dialog', { name: 'More' });
    await more.getByText('Live · mate').waitFor();
    await more.getByRole('button', { name: 'Dark theme' }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await more.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('holdpoint sign-in').waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('signs out, here and on the server', async () => {
    const { page } = await testBed.person('mate');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('holdpoint sign-in').waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const { items } = await testBed.client.tokens.list();
    expect(items.findLast(({ name }) => name === 'mate')?.revoked_at_ms).toBeDefined();
  });
});
