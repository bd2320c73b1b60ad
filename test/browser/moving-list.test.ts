// Tests that a list or a card that changes under the finger opens and decides nothing but what the finger was put on.
// Covers: web/src/hooks/gesture.ts, web/src/hooks/press.ts, web/src/hooks/row-window.ts
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { beginRun } from './asking-run.ts';
import { readToEnd } from './read-to-end.ts';
import { describeInBrowser, MOVED_MS, TAP_MS, useTestBed } from './test-bed.ts';

const PHONE = { viewport: { width: 390, height: 600 }, isMobile: true, hasTouch: true };

describeInBrowser('a list that moves', () => {
  const testBed = useTestBed();

  const begin = (title: string) => beginRun(testBed.client, { title });
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).status;
  const row = (page: Page, text: string) => page.locator('.row').filter({ hasText: text });
  const middleOf = async (page: Page, text: string) => {
    const box = await row(page, text).boundingBox();
    if (!box) throw new Error(`no row of ${text}`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const finger = async (context: BrowserContext, page: Page) => {
    const cdp = await context.newCDPSession(page);
    return {
      down: (x: number, y: number) =>
        cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] }),
      up: () => cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
    };
  };

  it('keeps the rows where they are from the touch until after the tap', async () => {
    const run = await begin('Touched');
    const wanted = await run.ask('make wanted');
    await run.ask('make other');
    const { page, context } = await testBed.signedIn('lead', PHONE);
    await page.goto('/?sort=newest');
    const { x, y } = await middleOf(page, 'make wanted');
    const { down, up } = await finger(context, page);
    await down(x, y);
    await run.ask('make newest');
    await page.getByRole('status').getByText('3 waiting').waitFor();
    expect(await row(page, 'make newest').count()).toBe(0);
    await up();
    await page.waitForURL(`**/asks/${wanted.ask_id}*`);
    await page.goto('/?sort=newest');
    await row(page, 'make newest').waitFor();
    await run.end();
  });

  it('opens with the mouse what was pressed, and moves the rows afterwards', async () => {
    const run = await begin('Clicked');
    const wanted = await run.ask('make wanted');
    await run.ask('make other');
    const { page } = await testBed.signedIn('lead');
    await page.goto('/?sort=newest');
    const { x, y } = await middleOf(page, 'make wanted');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await run.ask('make newest');
    await page.getByRole('status').getByText('3 waiting').waitFor();
    await page.mouse.up();
    await page.waitForURL(`**/asks/${wanted.ask_id}*`);
    await row(page, 'make newest').waitFor();
    // A press that ends as no click lets go of the list as well.
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, 5);
    await run.ask('make last');
    await page.mouse.up();
    await row(page, 'make last').waitFor();
    await run.end();
  });

  it('decides nothing with a tap that began on another request', async () => {
    const run = await begin('Swapped');
    const asks = [await run.ask('make first'), await run.ask('make second')] as const;
    const { page, context } = await testBed.signedIn('lead', { hasTouch: true });
    await page.goto(`/asks/${asks[0].ask_id}`);
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    const box = await allow.boundingBox();
    if (!box) throw new Error('no button');
    const { down, up } = await finger(context, page);
    await down(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.press('j');
    await page.waitForURL(`**/asks/${asks[1].ask_id}`);
    await allow.waitFor();
    await up();
    await page.getByText('Nothing was done: another request is here now.').waitFor();
    for (const ask of asks) expect(await statusOf(ask)).toBe('pending');
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(asks[1])).toBe('answered');
    await run.end();
  });

  it('opens no row of the list with a second tap on the place of the last decision', async () => {
    const run = await begin('Twice');
    const last = await run.ask('make last');
    const { page } = await testBed.signedIn('lead', PHONE);
    await page.goto(`/asks/${last.ask_id}`);
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    await allow.waitFor();
    // The next tap, in the frame in which the list appears, where the button was.
    await page.evaluate(() => {
      document.addEventListener(
        'click',
        ({ clientX, clientY }) => {
          const tap = () => {
            // Where the button was, a message may be for the moment.
            const row =
              document.elementFromPoint(clientX, clientY)?.closest('.row-link') ??
              [...document.querySelectorAll('.row-link')].find((link) => link.checkVisibility());
            if (!row) return requestAnimationFrame(tap);
            row.dispatchEvent(
              new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1, clientX, clientY }),
            );
            document.body.dataset.tapped = 'yes';
            return 0;
          };
          requestAnimationFrame(tap);
        },
        { once: true },
      );
    });
    await allow.tap();
    await page.locator('body[data-tapped]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await row(page, 'make last').tap();
    await page.waitForURL(`**/asks/${last.ask_id}`);
    await run.end();
  });

  it('moves no row in view when ended ones leave, and lets go of those that were scrolled away', async () => {
    const run = await begin('Leaving');
    const asks: AskView[] = [];
    for (let n = 0; n < 24; n++) asks.push(await run.ask(`make part-${n}.`));
    const { page } = await testBed.signedIn('lead', PHONE);
    await row(page, 'part-0.').waitFor();
    await page.locator('.rows').evaluate((rows) => rows.scrollTo(0, 600));
    const [above, inView, beside] = [asks[1], asks[11], asks[13]].filter((ask) => ask !== undefined);
    if (!above || !inView || !beside) throw new Error('too few');
    const top = async () => (await row(page, 'part-13.').boundingBox())?.y;
    const before = await top();
    const resolutions = [above, inView].map(({ ask_id }) => ({ request_id: ask_id, behavior: 'deny' as const }));
    await testBed.client.approvals.decideRun(above.run_id, { resolutions });
    await row(page, 'Denied by operator').waitFor();
    const count = () => row(page, 'part-13.').getAttribute('aria-setsize');
    await expect.poll(count, { timeout: 30_000 }).toBe('23');
    expect(await top()).toBe(before);
    await row(page, 'Denied by operator').waitFor();
    await page.locator('.rows').evaluate((rows) => rows.scrollTo(0, 0));
    await row(page, 'part-0.').waitFor();
    await expect.poll(() => row(page, 'part-0.').getAttribute('aria-setsize'), { timeout: 30_000 }).toBe('22');
    await run.end();
  });

  it('takes the message of a decision away when the next card is opened on a phone', async () => {
    const run = await begin('Message');
    await run.ask('make first');
    const long = Array.from({ length: 900 }, (_, n) => `echo second ${n} ${'x'.repeat(30)}`).join('\n');
    await run.ask(long);
    const { page } = await testBed.signedIn('lead', PHONE);
    await row(page, 'make first').tap();
    await page.getByRole('button', { name: 'Deny', exact: true }).tap();
    await page.getByLabel(/Reason/).fill('not now');
    // A tap counts once the card has been at rest.
    await page.waitForTimeout(TAP_MS);
    await page.getByRole('button', { name: 'Deny', exact: true }).tap();
    await page.getByRole('button', { name: 'Show all of it' }).waitFor();
    await page.getByRole('button', { name: 'Inbox' }).tap();
    await page.waitForTimeout(MOVED_MS);
    await row(page, 'echo second').tap();
    await page.locator('.actions').waitFor();
    await expect.poll(() => page.locator('.toast').filter({ hasText: 'Denied' }).count(), { timeout: 2000 }).toBe(0);
    await run.end();
  });

  it('moves no button of a long action when it is shown whole and read to its end', { timeout: 90_000 }, async () => {
    const run = await begin('Long');
    const ask = await run.ask(Array.from({ length: 560 }, (_, n) => `echo ${n} ${'x'.repeat(30)}`).join('\n'));
    for (const width of [320, 390, 1280]) {
      const { page } = await testBed.signedIn(`lead${width}`, { viewport: { width, height: 800 } });
      await page.goto(`/asks/${ask.ask_id}`);
      const places = () =>
        page
          .locator('.actions .button')
          .evaluateAll((buttons) => buttons.map((button) => JSON.stringify(button.getBoundingClientRect())));
      const whole = page.getByRole('button', { name: /^Show all of it/ });
      await whole.waitFor();
      const before = await places();
      await whole.click();
      await page.getByRole('button', { name: /^Read to the end to allow/ }).waitFor();
      expect(await places()).toEqual(before);
      await readToEnd(page);
      expect(await places()).toEqual(before);
    }
    await run.end();
  });
});
