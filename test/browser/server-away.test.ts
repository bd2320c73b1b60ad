// What a person is told when the server is away, or does not know them any more: in words that say what to do, where they
// act; and that it goes on from there.
import { expect, it } from 'vitest';
import { playMock } from './mock-run.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const bash = { tool_name: 'Bash', input: { command: 'echo 1' } };

describeInBrowser('the server', () => {
  const testBed = useTestBed();

  it('is away: said at once; a page that was not fetched before comes when it is back', async () => {
    const run = await playMock(testBed.client, { do: 'approve', id: 'away', ...bash });
    const { ask_id } = await run.ask('away');
    const { page, complaints } = await testBed.person('lead', { serviceWorkers: 'block' });
    await page.goto(`/asks/${ask_id}`);
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
    await testBed.restart('SIGTERM', async () => {
      await page.getByText('No connection to the server').waitFor();
      await page.getByRole('link', { name: 'Insights' }).click();
      await page.getByText('A part of this page could not be fetched').waitFor();
    });
    await page.getByRole('heading', { name: 'Insights' }).waitFor();
    expect(await page.getByText('No connection to the server').count()).toBe(0);
    for (const complaint of complaints.splice(0))
      expect(complaint).toMatch(/ERR_|preload|Service Worker registration blocked/);
    await testBed.client.runs.cancel(run.runId);
  });

  it('knows them no more: said where they act; once they have signed in elsewhere, all goes on', async () => {
    const run = await playMock(testBed.client, { do: 'approve', id: 'gone', ...bash });
    const { ask_id } = await run.ask('gone');
    const { page, context, complaints } = await testBed.person('lead');
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
    await page.getByLabel(/Why not/).fill('not today');
    await context.clearCookies();
    await deny.click();
    await page.getByRole('alert').getByText('not signed in any more').waitFor();
    expect(await page.getByRole('alert').getByText('holdpoint sign-in').count()).toBe(1);
    expect((await testBed.client.asks.get(ask_id)).status).toBe('pending');
    await signIn();
    expect(await page.getByLabel(/Why not/).inputValue()).toBe('not today');
    await deny.click();
    expect(await run.heard('gone')).toBe('answered: not today');

    await context.clearCookies();
    await page.reload();
    await page.getByText('This browser is not signed in').waitFor();
    await signIn();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/401|403/);
  });
});
