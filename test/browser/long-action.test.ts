// Tests what has to happen before a long action can be allowed: all of it is shown, and every part was on the screen.
// Covers: web/src/ui/reading-note.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { beginRun } from './asking-run.ts';
import { readToEnd } from './read-to-end.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Longer than the time in which a key or a click after a move is ignored. */
const MOVED_MS = 400;

describeInBrowser('a long action', () => {
  const testBed = useTestBed();
  const statusOf = async (id: string) => (await testBed.client.asks.get(id)).status;

  it('is allowed only once every part of it was on the screen, and offers nothing else that would', async () => {
    const run = await beginRun(testBed.client, { title: 'Long' });
    const content = Array.from({ length: 900 }, (_, n) => `line ${n}`).join('\n');
    const suggestions = [{ id: 'session', label: 'Always for this session' }];
    const ask = await run.ask('', { tool_name: 'Write', input: { file_path: '/srv/long', content }, suggestions });
    const locked = async () => {
      expect(await button(page, 'Always…').isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: /^Allow and add agent rule/ }).isDisabled()).toBe(true);
    };
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    await button(page, 'Show all of it').waitFor();
    await locked();
    await page.waitForTimeout(MOVED_MS);
    await page.keyboard.press('a');
    const read = button(page, 'Read to the end to allow');
    await read.waitFor();
    expect(await read.isDisabled()).toBe(true);
    await page.keyboard.press('a');
    await page.locator('.toast').getByText('Read to the end to allow it.').waitFor();
    await page.keyboard.press('w');
    expect(await button(page, 'Allow and add grant').count()).toBe(0);
    await locked();
    // A jump to its end passes what is between.
    const card = page.locator('.card-scroll');
    for (const top of [0, 999_999]) {
      await card.evaluate((element, to) => element.scrollTo(0, to), top);
      await page.waitForTimeout(1000);
    }
    expect(await read.isDisabled()).toBe(true);
    await page.getByText(/^[1-9]% was shown/).waitFor();
    expect(await statusOf(ask.ask_id)).toBe('pending');
    await button(page, 'Go to the rest').click();
    expect(await card.evaluate(({ scrollTop, clientHeight }) => scrollTop < 2 * clientHeight)).toBe(true);
    await readToEnd(page);
    await page.getByText('All of it was shown').waitFor();
    expect(await button(page, 'Always…').isEnabled()).toBe(true);
    await button(page, 'Allow once').click();
    await expect.poll(() => statusOf(ask.ask_id)).toBe('answered');
    await run.end();
  });
});
