// Tests that a dialog has the keys from the moment it is asked for, also while its script is fetched, and that a command of
// the palette is about what was on the screen before.
// Covers: web/src/hooks/dialog.ts, web/src/hooks/commands.ts, web/src/ui/palette.tsx, web/src/ui/comments.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { beginRun } from './asking-run.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('a dialog', () => {
  const testBed = useTestBed();
  const begin = (title: string) => beginRun(testBed.client, { title });
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).status;
  const hasSettled = (page: Page) => page.waitForTimeout(MOVED_MS);

  const DIALOGS = [
    ['n', 'add a fix', 'Start a run', 'new-run'],
    ['Control+k', 'deny and do it', 'Go to or do', 'palette'],
    ['?', 'a hint', 'Shortcuts', 'help'],
  ] as const;

  it('takes no key for a shortcut once a dialog was asked for, while its script is fetched or given up', async () => {
    const run = await begin('Slow dialog');
    const ask = await run.ask('make slow');
    const other = await run.ask('make other');
    const visitor = await testBed.signedIn('lead', { serviceWorkers: 'block' });
    const { page, complaints } = visitor;
    for (const [key, text, title, script] of DIALOGS) {
      let fetched = () => {};
      const isHeld = new Promise<void>((resolve) => {
        fetched = resolve;
      });
      await page.route(`**/assets/${script}*.js`, async (route) => {
        await isHeld;
        await route.continue();
      });
      await page.goto(`/asks/${ask.ask_id}`);
      await button(page, 'Allow once').waitFor();
      await hasSettled(page);
      await page.keyboard.press(key);
      await page.keyboard.type(text, { delay: 120 });
      // What has the focus is not pressed either.
      await button(page, 'Allow once').focus();
      for (const pressed of ['Space', 'Enter', 'j', 'i']) await page.keyboard.press(pressed);
      const isUntouched = async () => {
        expect(await statusOf(other)).toBe('pending');
        expect(await testBed.client.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
        expect(await testBed.client.asks.get(ask.ask_id)).not.toHaveProperty('taken_by');
        expect(new URL(page.url()).pathname).toBe(`/asks/${ask.ask_id}`);
        expect(await page.getByLabel(/Reason/).count()).toBe(0);
      };
      await isUntouched();
      fetched();
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await isUntouched();
      await page.unroute(`**/assets/${script}*.js`);
    }
    // Escape gives up what is not there yet, and keys are shortcuts again.
    await page.route('**/assets/new-run*.js', () => {});
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await hasSettled(page);
    await page.keyboard.press('n');
    await page.keyboard.press('d');
    expect(await page.getByLabel(/Reason/).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    await page.getByLabel(/Reason/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.unroute('**/assets/new-run*.js');
    for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/Service Worker registration blocked/);
    await run.end();
  });

  it('decides nothing by keys when the script of a dialog cannot be fetched, and goes on after a reload', async () => {
    const run = await begin('No dialog');
    const ask = await run.ask('make none');
    const { page, complaints } = await testBed.signedIn('lead', { serviceWorkers: 'block' });
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await hasSettled(page);
    await page.route('**/assets/new-run*.js', (route) => route.abort());
    await page.keyboard.press('n');
    await page.keyboard.type('add a fix', { delay: 60 });
    await page.getByText('A part of this page could not be fetched').waitFor();
    expect(await statusOf(ask)).toBe('pending');
    await page.unroute('**/assets/new-run*.js');
    await button(page, 'Reload').click();
    await button(page, 'Allow once').waitFor();
    await hasSettled(page);
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(ask)).toBe('answered');
    for (const complaint of complaints.splice(0))
      expect(complaint).toMatch(/ERR_|preload|dynamically imported|Service Worker registration blocked/);
    await run.end();
  });

  it('types at once into the comment that a key opens', async () => {
    const run = await begin('Comment at once');
    const ask = await run.ask('make at-once');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Allow once').waitFor();
    await hasSettled(page);
    // Both keys before the browser draws.
    const focused = await page.evaluate(() => {
      const press = (key: string) =>
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      press('c');
      return new Promise((resolve) =>
        queueMicrotask(() => queueMicrotask(() => resolve(document.activeElement?.tagName))),
      );
    });
    expect(focused).toBe('TEXTAREA');
    await run.end();
  });

  it('gives a command of the palette only for the request that had the keys when it was opened', async () => {
    const run = await begin('Palette');
    const first = await run.ask('npm test');
    const { page } = await testBed.signedIn('lead');
    const decide = ({ run_id, ask_id }: AskView) =>
      testBed.client.approvals.decideRun(run_id, { resolutions: [{ request_id: ask_id, behavior: 'deny' }] });
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: /Command, page/ });
      await field.waitFor();
      await field.fill(text);
    };
    await page.goto(`/sessions/${run.session_id}`);
    await page.getByText('npm test').first().waitFor();
    await hasSettled(page);
    await find('allow once');
    await page.getByRole('option', { name: /^Allow once/ }).waitFor();
    const second = await run.ask('terraform destroy');
    await decide(first);
    await page.locator('.card').getByText('terraform destroy').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was done: another request is here now').waitFor();
    expect(await statusOf(second)).toBe('pending');
    // While several wait none has the keys; one that has them later was not meant.
    const third = await run.ask('make third');
    await page.getByText('make third').first().waitFor();
    await find('allow once');
    await decide(second);
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    expect(await page.getByRole('option', { name: /^Allow once/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await statusOf(third)).toBe('pending');
    await run.end();
  });
});
