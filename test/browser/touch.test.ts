// Tests pages where a finger is the pointer: a phone zooms in on fields whose text is smaller than 16 pixels, and a finger that
// taps on decides nothing.
// Covers: web/src/styles/base.css, web/src/hooks/gesture.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ROUTES } from '../../web/src/routes.ts';
import { beginRun } from './asking-run.ts';
import { makeEndedAsks } from './ended-asks.ts';
import { raiseEveryAsk } from './every-ask.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describeInBrowser('with a finger as the pointer', () => {
  const testBed = useTestBed();

  it('has no field on any page whose text is smaller than 16 pixels', async () => {
    const [ended] = await makeEndedAsks(testBed.client);
    const open = await raiseEveryAsk(testBed.client);
    const [command] = open;
    const { page } = await testBed.signedIn('lead', PHONE);
    let read = 0;
    const check = async (what: string) => {
      const fields = await page
        .locator('input:not([type="checkbox"], [type="radio"]), textarea, select')
        .evaluateAll((all) => all.map((field) => [field.outerHTML.slice(0, 80), getComputedStyle(field).fontSize]));
      read += fields.length;
      const small = fields.filter(([, size = '']) => Number.parseFloat(size) < 16);
      expect.soft(small, what).toEqual([]);
    };
    const visit = async (address: string, shown: ReturnType<Page['locator']>) => {
      await page.goto(address);
      await shown.first().waitFor();
      await check(address);
    };
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name }).first().click();
      await check(String(name));
    };
    /** One for each page that exists: the compiler asks for a new one. */
    const visits: Record<keyof typeof ROUTES, () => Promise<void>> = {
      async inbox() {
        await visit('/', page.getByLabel('Sort by'));
        await page.getByRole('searchbox').fill('make');
        await press('Save view');
      },
      async ask() {
        for (const { ask_id } of open) await visit(`/asks/${ask_id}`, page.getByRole('article'));
        await page.goto(`/asks/${command?.ask_id}`);
        await press(/^Edit/);
        await press('Cancel');
        await press('Always…');
        await press('Cancel');
        await press(/^Deny/);
        await press(/^Comment/);
      },
      sessions: () => visit('/sessions', page.getByRole('link', { name: /Everything/ })),
      session: () => visit(`/sessions/${command?.session_id}`, page.getByRole('article')),
      async history() {
        await visit('/history', page.getByLabel('Outcome'));
        await visit(`/history/${ended?.ask_id}`, page.getByRole('region', { name: 'How it ended' }));
      },
      insights: () => visit('/insights', page.getByRole('heading', { level: 1 })),
      rules: () => visit('/rules', page.getByRole('heading', { level: 1 })),
      notifications: () => visit('/notifications', page.getByRole('button', { name: 'Save' })),
      settings: () => visit('/settings', page.getByText('this browser', { exact: false })),
    };
    for (const go of Object.values(visits)) await go();
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByLabel('Task').waitFor();
    await check('new run');
    await page.goto('/');
    await page.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Command, page/ }).waitFor();
    await check('palette');
    expect(read).toBeGreaterThan(20);
  });

  it('decides nothing by a finger that taps on where the last decision was made', async () => {
    const run = await beginRun(testBed.client, { title: 'Tapping' });
    const asks = [await run.ask('make one'), await run.ask('npm test'), await run.ask('git fetch')];
    const { page } = await testBed.signedIn('lead', PHONE);
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    await page.clock.install();
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    await allow.waitFor();
    await page.waitForTimeout(1000);
    const box = await allow.boundingBox();
    const tap = () => page.touchscreen.tap((box?.x ?? 0) + 40, (box?.y ?? 0) + 20);
    const answered = async () => {
      const now = await Promise.all(asks.map(({ ask_id }) => testBed.client.asks.get(ask_id)));
      return now.filter(({ status }) => status === 'answered').length;
    };
    await page.clock.pauseAt(Date.now() + 5000);
    await tap();
    await expect.poll(answered).toBe(1);
    await expect
      .poll(async () => {
        await page.clock.runFor(20);
        return page.locator('.card .actions button:enabled').count();
      })
      .toBeGreaterThan(0);
    for (const ms of [20, 150, 400, 400, 650]) {
      await page.clock.runFor(ms);
      await tap();
      expect(await answered()).toBe(1);
    }
    await page.clock.runFor(800);
    // Long enough for the browser not to count it as one of several taps.
    await page.waitForTimeout(1000);
    await tap();
    await expect.poll(answered).toBe(2);
    await page.clock.resume();
    await run.end();
  });
});
