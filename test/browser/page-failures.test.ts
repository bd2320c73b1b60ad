// Tests what the page says when the server is away, the browser is signed out, a page cannot be rendered, or an address is
// unknown; and that it continues afterwards.
// Covers: web/src/api.ts, web/src/pages/no-page.tsx, web/src/text/failure.ts, web/src/text/signed-out.ts, web/src/ui/error-boundary.tsx
// Covers: web/src/ui/missing-page.tsx, web/src/ui/standalone-page.tsx, web/src/hooks/queries.ts
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

const bash = { tool_name: 'Bash', input: { command: 'echo 1' } };

describeInBrowser('page failures', () => {
  const testBed = useTestBed();

  it('says that the server is away, and loads a page that it could not fetch when the server is back', async () => {
    const run = await playMock(testBed.client, { do: 'approve', id: 'away', ...bash });
    const { ask_id } = await run.ask('away');
    const { page, complaints } = await testBed.signedIn('lead', { serviceWorkers: 'block' });
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
    await testBed.restart('SIGTERM', async () => {
      await page.getByText('Can’t reach the server').waitFor();
      await page.getByRole('link', { name: 'Insights' }).click();
      await page.getByText('A part of this page could not be fetched').waitFor();
    });
    await page.getByRole('heading', { name: 'Insights' }).waitFor();
    expect(await page.getByText('Can’t reach the server').count()).toBe(0);
    for (const complaint of complaints.splice(0))
      expect(complaint).toMatch(/ERR_|preload|Service Worker registration blocked/);
    await testBed.client.runs.cancel(run.runId);
  });

  it('says where a person acts that the browser is signed out, and continues after a sign-in in another tab', async () => {
    const run = await playMock(testBed.client, { do: 'approve', id: 'gone', ...bash });
    const { ask_id } = await run.ask('gone');
    const { page, context, complaints } = await testBed.signedIn('lead');
    const deny = page.getByRole('button', { name: 'Deny', exact: true });
    const signIn = async () => {
      const other = await context.newPage();
      await other.goto((await testBed.client.signIn.offer({ name: 'lead' })).url);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('navigation', { name: 'Main' }).waitFor();
      await other.close();
    };
    await page.goto(`/asks/${ask_id}`);
    await deny.click();
    await page.getByLabel(/Reason/).fill('not today');
    await context.clearCookies();
    await deny.click();
    await page.getByRole('alert').getByText('no longer signed in').waitFor();
    expect(await page.getByRole('alert').getByText('holdpoint sign-in').count()).toBe(1);
    expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
    await signIn();
    expect(await page.getByLabel(/Reason/).inputValue()).toBe('not today');
    await deny.click();
    expect(await run.received('gone')).toBe('answered: not today');

    await context.clearCookies();
    await page.reload();
    await page.getByText('This browser is not signed in').waitFor();
    await signIn();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/401|403/);
  });

  it('says that a page cannot be rendered, and recovers with a reload', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Not broken' });
    const { page, complaints } = await testBed.signedIn('lead');
    const path = `**/v1/sessions/${session_id}`;
    await page.route(path, (route) => route.fulfill({ json: {} }));
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole('alert').getByText('This page is broken and cannot go on').waitFor();
    expect(complaints.splice(0)).not.toEqual([]);
    await page.unroute(path);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Not broken' }).waitFor();
  });

  it('answers an unknown address with a page that says so', async () => {
    const visitor = await testBed.signedIn('lead');
    const { page } = visitor;
    expect((await page.goto('/histroy'))?.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'To the inbox' }).click();
    await page.getByText('All clear').waitFor();
    await expectComplaints(visitor, '404');
  });
});
