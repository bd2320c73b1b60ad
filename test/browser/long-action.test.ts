// Tests what has to happen before an action can be allowed: all of it is shown, and every part was on the screen.
// Covers: web/src/ui/reading-note.tsx
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { beginRun } from './asking-run.ts';
import { readToEnd } from './read-to-end.ts';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

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

  it('is read on where it was left, after another request was opened', async () => {
    const run = await beginRun(testBed.client, { title: 'Left for another' });
    const command = Array.from({ length: 300 }, (_, n) => `echo ${n}`).join('\n');
    const ask = await run.ask(command);
    await run.ask('make other');
    const { page } = await testBed.signedIn('lead');
    await page.goto(`/asks/${ask.ask_id}`);
    const percent = async () =>
      Number(/(\d+)% was shown/.exec((await page.locator('.reading').textContent()) ?? '')?.[1]);
    for (let screen = 0; screen < 5; screen++) {
      await button(page, 'Go to the rest').click();
      await page.waitForTimeout(300);
    }
    const before = await percent();
    await page.keyboard.press('j');
    await page.locator('.card').getByText('make other').first().waitFor();
    await page.keyboard.press('k');
    await page.locator('.reading').waitFor();
    await expect.poll(percent).toBeGreaterThanOrEqual(before);
    expect(before).toBeGreaterThan(20);
    expect(await button(page, 'Read to the end to allow').isDisabled()).toBe(true);
    await readToEnd(page);
    await run.end();
  });

  it('is any that does not fit on the screen, however short: one key allows none of it unseen', async () => {
    const run = await beginRun(testBed.client, { title: 'Below the fold' });
    const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join('\n');
    const edits = Array.from({ length: 8 }, (_, i) => ({ old_string: `old ${i}`, new_string: lines(400) }));
    const hidden = [
      await run.ask(`${lines(400)}\nrm -rf ~/x`),
      await run.ask('', { tool_name: 'Write', input: { file_path: '/srv/a', content: lines(590) } }),
      await run.ask('', { tool_name: 'MultiEdit', input: { file_path: '/srv/b', edits } }),
    ];
    const { page } = await testBed.signedIn('lead');
    for (const { ask_id } of hidden) {
      await page.goto(`/asks/${ask_id}`);
      await page.getByRole('button', { name: /^(Read to the end to allow|Show all of it)/ }).waitFor();
      await page.waitForTimeout(MOVED_MS);
      await page.keyboard.press('a');
      await page.waitForTimeout(MOVED_MS);
      expect(await page.locator('.toast').getByText('Undo').count()).toBe(0);
      expect(await statusOf(ask_id)).toBe('pending');
    }
    const [command] = hidden;
    await page.goto(`/asks/${command?.ask_id}`);
    await button(page, 'Read to the end to allow').waitFor();
    // The keys of a reader: into the text, then on and on.
    await page.keyboard.press('Enter');
    const keyed = async () => {
      await page.keyboard.press('Space');
      return button(page, 'Allow once').count();
    };
    await expect.poll(keyed, { interval: 400, timeout: 60_000 }).toBe(1);
    await page.keyboard.press('a');
    await expect.poll(() => statusOf(command?.ask_id ?? ''), { timeout: 10_000 }).toBe('answered');
    await run.end();
  });

  it('says nothing of reading on an action that fits, which a key allows at once, on a phone too', async () => {
    const run = await beginRun(testBed.client, { title: 'Fits' });
    for (const viewport of [undefined, { width: 390, height: 844 }]) {
      const ask = await run.ask('npm test');
      const { page } = await testBed.signedIn('lead', viewport && { viewport });
      await page.goto(`/asks/${ask.ask_id}`);
      await button(page, 'Allow once').waitFor();
      expect(await button(page, 'Allow once').isEnabled()).toBe(true);
      expect(await button(page, 'Go to the rest').count()).toBe(0);
      await page.waitForTimeout(MOVED_MS);
      await page.keyboard.press('a');
      await expect.poll(() => statusOf(ask.ask_id), { timeout: 10_000 }).toBe('answered');
    }
    await run.end();
  });

  it('is not allowed with others before all of each was on the screen', async () => {
    const run = await beginRun(testBed.client, { title: 'Together' });
    const targets = (n: number) => Array.from({ length: 60 }, (_, i) => `TARGET_${n}_${i}=value`).join(' ');
    const asks = [];
    for (const n of [1, 2, 3]) asks.push(await run.ask(`make build ${targets(n)}`));
    const { page } = await testBed.signedIn('lead', { viewport: { width: 390, height: 844 } });
    await page.goto(`/asks/${asks[0]?.ask_id}`);
    await page.getByRole('button', { name: /3 similar requests/ }).click();
    const allow = button(page, 'Allow all 3');
    await page.getByText(/^[0-2] of 3 were shown/).waitFor();
    expect(await allow.isDisabled()).toBe(true);
    const rest = button(page, 'Go to the rest');
    const isRead = async () => {
      if (await rest.isEnabled()) await rest.evaluate((element) => (element as HTMLElement).click());
      return allow.isEnabled();
    };
    await expect.poll(isRead, { interval: 300, timeout: 60_000 }).toBe(true);
    await page.getByText('All were shown.').waitFor();
    await allow.click();
    for (const { ask_id } of asks) await expect.poll(() => statusOf(ask_id), { timeout: 10_000 }).toBe('answered');
    await run.end();
  });
});
