// Tests the page as an installed app: manifest, cache of its own files, opening offline, and notifications.
// Covers: web/src/hooks/service-worker.ts, web/src/hooks/notifications.ts
// Covers: web/src/hooks/badge.ts
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeEndedAsks } from './ended-asks.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

/** The service worker controls the page. */
async function isInstalled(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

const notices = (page: Page) =>
  page.evaluate(async () => {
    const worker = await navigator.serviceWorker.getRegistration();
    const shown = (await worker?.getNotifications()) ?? [];
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
  });

const leave = () => Object.defineProperty(document, 'hasFocus', { value: () => false });

describeInBrowser('the installed app', () => {
  const testBed = useTestBed();

  it('has a manifest with icons that exist', async () => {
    const { page } = await testBed.signedIn('lead');
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
      return (await fetch(link?.href ?? '')).json();
    });
    expect(manifest).toMatchObject({ name: 'Holdpoint', start_url: '/', display: 'standalone' });
    for (const { src, type } of manifest.icons as { src: string; type: string }[]) {
      const response = await page.request.get(src);
      expect([response.status(), response.headers()['content-type']]).toEqual([200, type]);
    }
  });

  it('caches its own files and no API response', async () => {
    const { page } = await testBed.signedIn('lead');
    await isInstalled(page);
    await makeEndedAsks(testBed.client);
    await page.goto('/history');
    await page.getByText('3 requests').waitFor();
    const kept = await page.evaluate(async () => {
      const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const requests = (await Promise.all(caches_.map((cache) => cache.keys()))).flat();
      return requests.map(({ url }) => new URL(url).pathname);
    });
    expect(kept).toContain('/');
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  });

  it('opens from its cache while the server is away, and continues when it is back', async () => {
    const { page, complaints } = await testBed.signedIn('lead');
    await isInstalled(page);
    await page.reload();
    await page.getByText('Live · lead').waitFor();
    await testBed.restart('SIGKILL', async () => {
      await page.goto('/history');
      await page.getByText('Can’t reach the server').waitFor();
    });
    await page.getByRole('heading', { name: 'History' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/history');
    await page.getByText('Live · lead').waitFor();
    // The browser logs each connection that was refused.
    const odd = complaints
      .splice(0)
      .filter((text) => !/ERR_CONNECTION_(REFUSED|RESET)|ERR_INCOMPLETE|ERR_EMPTY|FetchEvent/.test(text));
    expect(odd).toEqual([]);
  });

  describe('notifications', () => {
    const raise = async (command: string) => {
      const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Deploy' });
      const { run_id } = await testBed.client.runs.start(session_id, { input: {} });
      const ask = { kind: 'approval' as const, tool_call_id: 'a', tool_name: 'Bash', input: { command } };
      return testBed.client.asks.raise(run_id, ask);
    };

    it('shows notifications only when they are switched on and the page has no focus, and closes those of settled asks', async () => {
      const { page, context, complaints } = await testBed.signedIn('lead');
      await context.grantPermissions(['notifications'], { origin: testBed.server.url });
      await isInstalled(page);
      await page.evaluate(leave);
      await raise('echo unheard');
      await page.getByText('echo unheard').first().waitFor();
      expect(await notices(page)).toEqual([]);

      await page.getByRole('link', { name: 'Notifications' }).click();
      const button = page.getByRole('switch');
      expect(await button.getAttribute('aria-checked')).toBe('false');
      await button.click();
      await page.getByText('only while this page is open').waitFor();
      // Without a push service, as in this browser, the page notifies while it is open.
      await expectComplaints({ complaints }, 'does not support the Push API in incognito mode');
      const ask = await raise('echo heard');
      await expect.poll(() => notices(page)).toEqual([{ title: 'Bash', body: 'echo heard', tag: ask.ask_id }]);

      // Settled elsewhere: the notification is closed.
      const resolutions = [{ request_id: ask.ask_id, behavior: 'allow' as const }];
      await testBed.client.approvals.decideRun(ask.run_id, { resolutions });
      await expect.poll(() => notices(page)).toEqual([]);

      await button.click();
      await page.getByText('Off: you see new requests').waitFor();
      await page.getByRole('link', { name: 'Inbox' }).click();
      await raise('echo again');
      await page.getByText('echo again').first().waitFor();
      expect(await notices(page)).toEqual([]);
    });

    it('says that the browser blocks notifications', async () => {
      const { page } = await testBed.signedIn('lead');
      await page.evaluate(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }));
      await page.getByRole('link', { name: 'Notifications' }).click();
      await page.getByRole('switch').click();
      await page.getByText('Your browser blocks notifications').waitFor();
      expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('false');
    });
  });
});
