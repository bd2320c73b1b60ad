// Tests the list of sessions: the open ones, and a search over the ended ones.
// Covers: web/src/pages/sessions.tsx, web/src/state/session-search.ts, web/src/hooks/session-list.ts, web/src/hooks/further-pages.ts
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the sessions page', () => {
  const testBed = useTestBed();

  it('lists the open sessions, and searches the ended ones, newest first, beyond the first page', async () => {
    const { client } = testBed;
    const create = (title: string) => client.sessions.create({ agent: 'external', title, project_ids: ['shop_a'] });
    await create('Still at work');
    const titles = ['Nightly build', ...Array.from({ length: 120 }, (_, i) => `Update ${i}`)];
    for (const title of titles) await client.sessions.end((await create(title)).session_id);
    const { page } = await testBed.signedIn('lead');
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('1 open', { exact: true }).waitFor();
    await page.getByRole('link', { name: /Still at work/ }).waitFor();
    await page.getByRole('button', { name: 'Ended' }).click();
    await page.getByText('100 ended so far').waitFor();
    const rows = page.getByRole('list', { name: 'Ended sessions' }).getByRole('listitem');
    expect(await rows.first().textContent()).toContain('Update 119');
    await page.getByRole('button', { name: 'Further back' }).click();
    await page.getByText('121 ended', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nightly shop_');
    await page.getByText('1 ended', { exact: true }).waitFor();
    // It is not on the first page of ended sessions, and the search survives a reload.
    await page.reload();
    await page.getByText('1 ended', { exact: true }).waitFor();
    await page.getByRole('link', { name: /Nightly build/ }).click();
    await page.getByText('This session has ended.').waitFor();
    await page.goBack();
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('No ended session matches this search.').waitFor();
  });

  it('lists the sessions that wait for a person first, the others by when something happened', async () => {
    const { client } = testBed;
    const create = async (title: string) => (await client.sessions.create({ agent: 'external', title })).session_id;
    const waiting = await create('Waits');
    const { run_id } = await client.runs.start(waiting, { input: { text: 'work' } });
    const input = { command: 'make' };
    const call = { kind: 'approval', tool_call_id: 'c', tool_name: 'Bash', input } as const;
    const { ask_id } = await client.asks.raise(run_id, call);
    const others = [await create('Older'), await create('Newer')];
    const { page } = await testBed.signedIn('lead');
    await page.goto('/sessions');
    const names = () => page.locator('.session-name').allTextContents();
    await expect.poll(async () => (await names()).slice(0, 3)).toEqual(['Waits', 'Newer', 'Older']);
    await client.asks.withdraw(ask_id);
    await page.getByText('1 waiting').waitFor({ state: 'detached' });
    for (const id of [waiting, ...others]) await client.sessions.end(id);
  });
});
