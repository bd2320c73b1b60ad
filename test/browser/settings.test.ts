// Tests the settings of a browser: theme, sound, and the browsers that are signed in; and what a phone shows of the page.
// Covers: web/src/pages/settings.tsx, web/src/hooks/theme.ts, web/src/hooks/sound.ts, web/src/hooks/badge.ts
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, MOVED_MS, useTestBed } from './test-bed.ts';

describeInBrowser('the settings', () => {
  const testBed = useTestBed();
  const raise = async (command: string) => {
    const { client } = testBed;
    const { session_id } = await client.sessions.create({ agent: 'external', title: 'Work' });
    const { run_id } = await client.runs.start(session_id, { input: { text: 'work' } });
    const call = { tool_call_id: 'c', tool_name: 'Bash', input: { command } };
    return { ask: await client.asks.raise(run_id, { kind: 'approval', ...call }), session_id };
  };
  const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);

  it('follow the system again after a theme was chosen, and keep the choice over a reload', async () => {
    const { page } = await testBed.signedIn('lead');
    await page.goto('/settings');
    await expect.poll(() => page.title()).toBe('Settings · Holdpoint');
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Dark', pressed: true }).waitFor();
    expect(await themeOf(page)).toBe('dark');
    await page.getByRole('button', { name: 'System' }).click();
    expect(await themeOf(page)).toBeUndefined();
  });

  it('play one tone for new requests, only once it is switched on', async () => {
    const { page } = await testBed.signedIn('lead');
    // The browser's own sound is replaced: a test cannot hear it.
    await page.addInitScript(() => {
      const tones: number[] = [];
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (this: OscillatorNode, at?: number) {
        tones.push(performance.now());
        start.call(this, at);
      };
      Object.assign(window, { tones });
    });
    const tones = () => page.evaluate(() => (window as unknown as { tones: number[] }).tones.length);
    await page.goto('/settings');
    const silent = await raise('silent');
    await page.getByText('1 waiting').first().waitFor({ state: 'attached' });
    expect(await tones()).toBe(0);
    await page.getByLabel(/Sound for new requests/).check();
    const loud = await raise('loud');
    await expect.poll(tones).toBe(1);
    for (const { session_id } of [silent, loud]) await testBed.client.sessions.end(session_id);
  });

  it('sign another browser out after a second press', async () => {
    const { page } = await testBed.signedIn('lead');
    const other = await testBed.signedIn('mate');
    await page.goto('/settings');
    const device = page
      .getByRole('region', { name: 'Signed-in browsers' })
      .getByRole('listitem')
      .filter({ hasText: 'mate' });
    await device.getByRole('button', { name: 'Sign out' }).dblclick();
    await page.waitForTimeout(MOVED_MS);
    await device.getByRole('button', { name: 'Sign it out?' }).click();
    await other.page.getByText('holdpoint sign-in').waitFor();
    await expect.poll(() => device.count()).toBe(0);
    other.complaints.splice(0);
  });

  it('leave five tabs on a phone, and in landscape the whole height to the request', async () => {
    const { ask, session_id } = await raise('npm test');
    const { page } = await testBed.signedIn('lead', {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    const tabs = page.getByRole('navigation', { name: 'Main' }).locator('a:visible, button:visible');
    expect(await tabs.allInnerTexts()).toEqual([
      expect.stringContaining('Inbox'),
      'Sessions',
      'History',
      'New run',
      'More',
    ]);
    await page.setViewportSize({ width: 844, height: 390 });
    await page.goto(`/asks/${ask.ask_id}`);
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    const boxOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox()) ?? { y: 0, height: 0 };
    const nav = await boxOf('.nav');
    expect([nav.y, nav.height]).toEqual([0, 390]);
    const [command, actions] = [await boxOf('.card pre'), await boxOf('.card .actions')];
    expect(command.y + command.height).toBeLessThan(actions.y);
    expect(actions.y + actions.height).toBe(390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(844);
    await testBed.client.sessions.end(session_id);
  });
});
