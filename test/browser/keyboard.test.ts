// Tests where the focus goes and what keys do there: in a card they scroll it, in the list they move the selection; and that
// keys that are switched off are shown nowhere.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

const SEEN_MS = 800;
const PAGE_MS = 200;

describeInBrowser('the keyboard', () => {
  const testBed = useTestBed();
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.className);
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const statusOf = async (askId: string) => (await testBed.client.asks.get(askId)).status;

  it('scrolls a long card to its end and allows that one, and moves in the list only from there', async () => {
    const run = await beginRun(testBed.client, { title: 'Long' });
    const other = await run.ask('make other');
    const long = await run.ask(Array.from({ length: 1200 }, (_, n) => `echo this is line ${n}`).join('\n'));
    const last = await run.ask('make last');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${long.ask_id}`);
    await button(page, /^Show all of it/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    await expect.poll(() => focused(page)).toBe('card-scroll');
    const top = () => page.locator('.card-scroll').evaluate(({ scrollTop }) => scrollTop);
    await page.keyboard.press('ArrowDown');
    await expect.poll(top).toBeGreaterThan(0);
    await page.keyboard.press('ArrowUp');
    await expect.poll(top).toBe(0);
    // Every part of it has to be in view for a moment.
    await page.waitForTimeout(SEEN_MS);
    for (let before = -1; before !== (await top()); ) {
      before = await top();
      await page.keyboard.press('Space');
      await page.waitForTimeout(PAGE_MS);
    }
    await page.keyboard.press('End');
    await button(page, /^Allow once/).click({ trial: true });
    await page.keyboard.press('Home');
    await expect.poll(top).toBe(0);
    expect(pathOf(page)).toBe(`/asks/${long.ask_id}`);
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(long.ask_id)).toBe('answered');
    await page.goto(`/asks/${last.ask_id}`);
    await page.locator('.row-link[aria-current="true"]').focus();
    await page.keyboard.press('Home');
    await page.waitForURL(`**/asks/${other.ask_id}`);
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(`**/asks/${last.ask_id}`);
    expect([await statusOf(other.ask_id), await statusOf(last.ask_id)]).toEqual(['pending', 'pending']);
    await run.end();
  });

  it('goes on in what a key has opened, and back to the row that was opened', async () => {
    const run = await beginRun(testBed.client, { title: 'Focus' });
    const [first] = [await run.ask('npm run a 1'), await run.ask('npm run a 2')];
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${first.ask_id}`);
    await button(page, /^Allow once/).waitFor();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('w');
    const nameOf = () => page.evaluate(() => document.activeElement?.closest('fieldset')?.textContent);
    await expect.poll(nameOf).toContain('Allow from now on');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    const card = () => page.evaluate(() => document.activeElement?.closest('.card')?.getAttribute('aria-label'));
    await expect.poll(card).toBe('Similar requests');
    await run.end();
    await page.goto('/history');
    const row = page.getByRole('link', { name: /npm run a 1/ });
    await row.click();
    await page.getByRole('region', { name: 'How it ended' }).waitFor();
    await page.keyboard.press('Escape');
    await row.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('npm run a 1');
  });

  it('dims the hints of single keys while text is typed, and moves nothing', async () => {
    const run = await beginRun(testBed.client, { title: 'Dimmed' });
    const ask = await run.ask('make dim');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    const hint = page.locator('.actions .key', { hasText: /^a$/ });
    await hint.waitFor();
    const place = await hint.boundingBox();
    const isDim = () => hint.evaluate((key) => Number(getComputedStyle(key).opacity) < 1);
    expect(await isDim()).toBe(false);
    await page.keyboard.press('c');
    await page.getByLabel(/^Comment\./).waitFor();
    await expect.poll(isDim).toBe(true);
    expect(await hint.isVisible()).toBe(true);
    expect(await hint.boundingBox()).toEqual(place);
    await run.end();
  });

  it('shows no hint of a single key once those are switched off', async () => {
    const run = await beginRun(testBed.client, { title: 'Off' });
    const ask = await run.ask('make off');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, /^Allow once/).waitFor();
    const hints = () =>
      page
        .locator('.key, kbd')
        .evaluateAll((keys) => keys.flatMap(({ textContent: key }) => (key?.length === 1 ? key : [])));
    expect(await hints()).toContain('a');
    await page.keyboard.press('?');
    await page.getByLabel('Single-key shortcuts').uncheck();
    await expect.poll(async () => (await hints()).filter((key) => key !== 'K')).toEqual([]);
    await page.getByRole('dialog').getByText('send, while you type').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(hints).toEqual([]);
    await run.end();
  });
});
