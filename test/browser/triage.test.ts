// Tests working through the inbox: comments that decide nothing, "I'm on it", snooze, views in the address, selecting
// several, undo, the palette, shortcuts that are switched off, and a focus that is always somewhere.
// Covers: web/src/ui/comments.tsx, web/src/ui/ask-marks.tsx, web/src/ui/triage-bar.tsx, web/src/ui/marked-bar.tsx
// Covers: web/src/ui/palette.tsx, web/src/ui/settings-menu.tsx, web/src/pages/settings.tsx, web/src/text/link-text.ts
// Covers: web/src/hooks/preferences.ts, web/src/hooks/row-focus.ts, web/src/hooks/sound.ts
// Covers: web/src/hooks/sign-in-code.ts, web/src/state/help.ts, web/src/ui/late-answer.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

describeInBrowser('triage', () => {
  const testBed = useTestBed();
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const begin = (title: string, project: string) => beginRun(testBed.client, { title, project_ids: [project] });
  const stateOf = ({ ask_id }: AskView) => testBed.client.asks.get(ask_id);
  const statusOf = async (ask: AskView) => (await stateOf(ask)).status;
  const rows = (page: Page) =>
    page.getByRole('listitem').evaluateAll((items) => items.map((item) => item.textContent ?? ''));
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.className || document.activeElement?.id);

  it('comments without deciding, says who reads it, and shows the reply of the agent', async () => {
    const run = await begin('Comments', 'talk');
    const heard = await run.ask('make deploy', { takes_comments: true });
    const deaf = await run.ask('ls deaf');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${heard.ask_id}`);
    await button(page, 'Comment').waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('c');
    const field = page.getByLabel('Comment. The request stays open.');
    await page.getByText('reads comments while it waits, and may reply').waitFor();
    // What allows in a thread is a comment here.
    await field.fill('yes');
    await page.keyboard.press('Enter');
    await field.fill('approve\nwhy?');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stateOf(heard)).comments?.[0]?.text).toBe('approve\nwhy?');
    expect(await statusOf(heard)).toBe('pending');
    await testBed.client.asks.comment(heard.ask_id, 'Because it is **Friday**.');
    await page.getByText('Because it is Friday.').waitFor();
    await page.goto(`/asks/${deaf.ask_id}`);
    await button(page, 'Comment').click();
    await page.getByText('is not told of comments on this request').waitFor();
    await run.end();
  });

  it('shows everyone who is on it and what is snoozed, and sorts, groups and filters by the address', async () => {
    const run = await begin('Release', 'shop');
    const other = await begin('Docs', 'docs');
    const plain = await other.ask('echo plain');
    const risky = await run.ask('rm -rf build');
    const { page } = await testBed.signedIn('lead');
    const mate = (await testBed.signedIn('mate')).page;
    await page.goto(`/asks/${plain.ask_id}`);
    await button(page, 'I’m on it').waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('i');
    await mate.getByRole('list', { name: 'Requests' }).getByText('lead').waitFor();
    await page.goto(`/asks/${plain.ask_id}?sort=risk&group=project`);
    await expect.poll(async () => (await rows(page)).map((row) => /^(shop|docs)/.exec(row)?.[0])).toContain('shop');
    const order = (await rows(page)).join('\n');
    expect(order.indexOf('rm -rf build')).toBeLessThan(order.indexOf('echo plain'));
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('button', { name: '1 hour' }).click();
    await mate.getByRole('heading', { name: /Snoozed/ }).waitFor();
    expect(await statusOf(plain)).toBe('pending');
    await page.getByLabel('Search and filter').fill('project:shop -nothing');
    await page.getByText('1 of 2').waitFor();
    await page.reload();
    await page.getByText('1 of 2').waitFor();
    expect(await page.getByLabel('Search and filter').inputValue()).toBe('project:shop -nothing');
    await button(page, 'Save view').click();
    await page.getByLabel('Name of the view').fill('Shop');
    await page.keyboard.press('Enter');
    await page.goto('/');
    await page.getByRole('link', { name: 'Shop', exact: true }).click();
    await page.getByText('1 of 2').waitFor();
    expect(await statusOf(risky)).toBe('pending');
    await run.end();
    await other.end();
  });

  it('lists what expires soon first, and names what expired with a link to it', async () => {
    const run = await begin('Deadlines', 'soon');
    await run.ask('echo patient');
    const { page } = await testBed.signedIn('lead');
    await page.getByRole('list', { name: 'Requests' }).getByText('echo patient').waitFor();
    await run.ask('echo urgent', { expires_after_ms: 110_000 });
    await expect
      .poll(async () => (await rows(page)).slice(0, 2))
      .toEqual(['Expiring 1', expect.stringMatching(/echo urgent.* left/)]);
    const missed = await run.ask('echo missed', { expires_after_ms: 1 });
    await page.getByText('Expired before anyone decided: echo missed').waitFor();
    await page.getByRole('status').getByRole('link', { name: 'History' }).click();
    await page.waitForURL(`**/history/${missed.ask_id}`);
    await page.getByText('It counts as denied.').waitFor();
    expect(await page.getByText('Expired before anyone decided').count()).toBe(0);
    await run.end();
  });

  it('selects several and reviews them together, each shown, none decided before', async () => {
    const run = await begin('Several', 'many');
    const asks = [await run.ask('npm test'), await run.ask('ls -l'), await run.ask('git status')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('g');
    const card = page.getByRole('article');
    await card.getByText('ls -l').waitFor();
    expect(await card.getByText('git status').count()).toBe(0);
    for (const ask of asks) expect(await statusOf(ask)).toBe('pending');
    await run.end();
  });

  it('names the tool of each that is reviewed together, and what of the selection is decided alone', async () => {
    const run = await begin('Tools', 'tools');
    const call = (tool_name: string, input: object) => run.ask('', { tool_name, input });
    await call('mcp__crm__get_customer', { id: 4711 });
    await call('mcp__crm__delete_customer', { id: 4711 });
    await call('Read', { file_path: '/srv/notes.txt' });
    await call('Edit', { file_path: '/srv/a.ts', old_string: 'a', new_string: 'b' });
    const { page } = await testBed.signedIn('lead');
    await page.goto('/?q=project:tools');
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('X');
    await page.getByText('4 selected').waitFor();
    await page.keyboard.press('g');
    const card = page.getByRole('article');
    const members = card.getByRole('checkbox');
    await expect.poll(() => members.count()).toBe(3);
    for (const name of [/get_customer.*id.*4711/, /delete_customer.*id.*4711/, /Read.*notes\.txt/])
      expect(await card.getByRole('checkbox', { name }).count()).toBe(1);
    await card.getByText('One that you selected is not here, and decided alone').waitFor();
    await card.getByRole('listitem').filter({ hasText: 'Edit /srv/a.ts (the change of a file)' }).waitFor();
    await run.end();
  });

  it('sends an allow after a pause in which it can be undone, and nothing when the page is closed', async () => {
    const run = await begin('Undo', 'undo');
    const [undone, closed, next] = [await run.ask('one'), await run.ask('two'), await run.ask('three')];
    const sent = await run.ask('four');
    const { page } = await testBed.signedIn('lead');
    await page.evaluate(() => localStorage.setItem('holdpoint-preferences', '{"undo":true}'));
    await page.goto(`/asks/${undone.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    // The next one is shown at once; a key that was meant for the first decides nothing.
    await page.getByText('Allowing: one').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).not.toContain(undone.ask_id);
    await page.keyboard.press('z');
    await page.getByText('Undone. Nothing was sent: one').waitFor();
    await page.goto(`/asks/${sent.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await page.getByText('Allowing: four').waitFor();
    expect(await statusOf(sent)).toBe('pending');
    await expect.poll(() => statusOf(sent)).toBe('answered');
    await page.goto(`/asks/${closed.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await page.getByText('Allowing: two').waitFor();
    await page.goto('/settings');
    await page.getByLabel(/Undo before an allow is sent/).uncheck();
    await page.goto(`/asks/${next.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(next)).toBe('answered');
    expect([await statusOf(undone), await statusOf(closed)]).toEqual(['pending', 'pending']);
    await run.end();
  });

  it('holds the allow of a group back too, which undo or a closed page takes back', async () => {
    const run = await begin('Group', 'group');
    const asks = [await run.ask('npm run a 1'), await run.ask('npm run a 2')];
    const { page } = await testBed.signedIn('lead');
    await page.evaluate(() => localStorage.setItem('holdpoint-preferences', '{"undo":true}'));
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    await button(page, /2 similar requests/).click();
    await button(page, 'Allow all 2').waitFor();
    await page.waitForTimeout(MOVED_MS);
    await button(page, 'Allow all 2').click();
    await page.getByText('Allowing: 2 requests').waitFor();
    await page.keyboard.press('z');
    await page.getByText('Undone. Nothing was sent: 2 requests').waitFor();
    for (const ask of asks) expect(await statusOf(ask)).toBe('pending');
    await button(page, 'Allow all 2').click();
    for (const ask of asks) await expect.poll(() => statusOf(ask)).toBe('answered');
    await run.end();
  });

  it('keeps the focus on a row after keys, Escape and decisions, with one stop of the Tab key for the list', async () => {
    const run = await begin('Focus', 'focus');
    const asks = [await run.ask('first'), await run.ask('second'), await run.ask('third')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toBe('row-link');
    expect(await page.locator('.row-link[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('row-link');
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(asks[1] as AskView)).toBe('answered');
    await expect.poll(() => focused(page)).toBe('row-link');
    await run.end();
  });

  it('finds commands and requests in the palette, and ignores single keys where they are switched off', async () => {
    const run = await begin('Palette', 'find');
    const asks = [await run.ask('needle'), await run.ask('hay')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${asks[1]?.ask_id}`);
    await button(page, /Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Command, page/ }).fill('needle');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/asks/${asks[0]?.ask_id}`);
    await page.keyboard.press('?');
    await page.getByText('-tool:read -word').waitFor();
    expect(await page.getByRole('dialog').evaluate((dialog) => dialog.scrollTop)).toBe(0);
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.waitForTimeout(MOVED_MS);
    for (const key of ['a', 'd', 'x', '?', '1']) await page.keyboard.press(key);
    expect(await page.getByText('1 selected').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await statusOf(asks[0] as AskView)).toBe('pending');
    await page.locator('.row-link[aria-current="true"]').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/asks/${asks[1]?.ask_id}`);
    await run.end();
  });
});
