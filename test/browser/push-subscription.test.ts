// Push as a browser does it by itself: `pushManager.subscribe()`, its keys, its connection to a push service, decryption, the
// notification on the desktop and the press on it are Chromium's own; only the push service and the desktop are ours. And
// the link to a phone, in a browser as people use it.
// Covers: web/src/hooks/push.ts, web/src/ui/push-settings.tsx, web/src/ui/phone-link.tsx
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChromiumPushService } from '../support/chromium-push.ts';
import { Desktop } from '../support/desktop.ts';
import { temporaryFolder } from '../support/process.ts';
import { findChromium } from './chromium.ts';
import { describeInBrowser, useTestBed } from './test-bed.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describeInBrowser('a push subscription', () => {
  const testBed = useTestBed({ args: ['--allow-host', 'phone.test'], env: { HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1' } });
  let service: ChromiumPushService;
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await Desktop.start(temporaryFolder());
    if (hasOpenssl) service = await ChromiumPushService.start(certificate());
  });
  afterAll(() => Promise.all([desktop.stop(), service?.stop()]));

  /** Not a private window, in which browsers refuse subscriptions. */
  async function personalBrowser(...args: string[]): Promise<BrowserContext> {
    const context = await chromium.launchPersistentContext(temporaryFolder(), {
      executablePath: findChromium() ?? '',
      env: { ...process.env, ...desktop.env },
      args,
    });
    await context.grantPermissions(['notifications'], { origin: testBed.server.url });
    return context;
  }

  async function notificationsPage(context: BrowserContext) {
    const page = await context.newPage();
    await page.goto((await testBed.client.signIn.offer({ name: 'lead' })).url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Notifications' }).click();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    return page;
  }

  const titles = () => [...desktop.shown.values()].map(({ title }) => title);
  const raise = async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Deploy' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: {} });
    const input = { command: 'npm test' };
    return testBed.client.asks.raise(run_id, { kind: 'approval', tool_call_id: 'a', tool_name: 'Bash', input });
  };

  it.skipIf(!hasOpenssl)('is made and used by the browser itself (needs openssl)', async () => {
    const context = await personalBrowser(...service.args);
    try {
      await context.addInitScript(sendTo, service.endpoint(''));
      const page = await notificationsPage(context);
      // Left by an earlier server at this address, with other keys.
      await page.evaluate(subscribeForAnother);
      await page.getByRole('switch').click();
      await page.getByText('On, also while this page is closed.').waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Sent. It should appear').waitFor();
      await expect.poll(titles).toEqual(['Holdpoint can reach you']);
      // Another page keeps the browser open.
      await context.newPage();
      await page.close();

      const ask = await raise();
      await expect.poll(titles).toContain('Approval: external · Deploy');
      const [shown] = [...desktop.shown.values()].slice(-1);
      expect([shown?.body, [...(shown?.buttons.values() ?? [])]]).toEqual([
        expect.stringContaining('Bash: npm test'),
        expect.arrayContaining(['Deny']),
      ]);
      expect([...(shown?.buttons.values() ?? [])]).not.toContain('Allow');
      expect(service.relayed.filter((message) => message.includes('npm test'))).toEqual([]);
      desktop.press('Approval: external · Deploy', 'Deny');
      const decided = async () => (await testBed.client.asks.get(ask.ask_id)).answer;
      await expect.poll(decided).toMatchObject({ behavior: 'deny', answered_by: 'lead', surface: 'web' });
      // The end may follow so soon that no look finds what the press said.
      await expect.poll(titles).toContainEqual(expect.stringMatching(/^Denied by (?:you|lead: external · Deploy)$/));

      const next = await raise();
      await expect.poll(titles).toContain('Approval: external · Deploy');
      const opened = context.waitForEvent('page');
      desktop.press('Approval: external · Deploy');
      await (await opened).waitForURL(`**/asks/${next.ask_id}`);
      await (await opened).close();

      const again = await notificationsPage(context);
      await again.getByText('On, also while this page is closed.').waitFor();
      const removed = (await testBed.client.notices.devices()).map(({ device_id }) => device_id);
      expect(removed).toHaveLength(1);
      await testBed.client.notices.removeDevice(removed[0] ?? '');
      await again.reload();
      await again.getByText('only while this page is open').waitFor();
      expect(await testBed.client.notices.devices()).toEqual([]);
      await again.getByRole('switch', { name: 'Switch notifications off' }).click();
      await again.getByText('Off: you see').waitFor();
      await again.getByRole('switch', { name: 'Switch notifications on' }).click();
      await again.getByText('On, also while this page is closed.').waitFor();
      await again.getByRole('switch', { name: 'Switch notifications off' }).click();
      await again.getByText('Off: you see').waitFor();
      await expect.poll(() => testBed.client.notices.devices()).toEqual([]);
      const left = () =>
        again.evaluate(async () => (await navigator.serviceWorker.ready).pushManager.getSubscription());
      await expect.poll(left).toBeNull();
    } finally {
      await context.close();
    }
  });

  it('is asked of the push service of the maker of the browser, and the page says so where there is none', async () => {
    // Without access to it, as on most machines that run tests, Chromium never settles the subscription; with access, the
    // device is added.
    const context = await personalBrowser('--host-resolver-rules=MAP phone.test 127.0.0.1');
    try {
      const page = await notificationsPage(context);
      await page.getByRole('switch').click();
      const said = page
        .getByRole('status')
        .filter({ hasText: /^On, (?:also while|but only while this page is open\. \w)/ });
      await said.waitFor();
      const isReached = (await said.textContent())?.startsWith('On, also');
      expect(await testBed.client.notices.devices()).toHaveLength(isReached ? 1 : 0);
      await page.getByRole('switch').click();
      await page.getByText('Off: you see').waitFor();
      await expectQrCode(context);
    } finally {
      await context.close();
    }
  });

  /** By a name that a phone could reach: the code is a link that signs another browser in. */
  async function expectQrCode(context: BrowserContext): Promise<void> {
    const here = new URL(testBed.server.url);
    const phone = `http://phone.test:${here.port}`;
    const page = await context.newPage();
    await page.goto((await testBed.client.signIn.offer({ name: 'lead' })).url.replace(here.origin, phone));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Notifications' }).click();
    await page.getByText('Without TLS a phone opens the page but is not notified').waitFor();
    const offered = page.waitForResponse(/sign-in-links/);
    await page.getByRole('button', { name: 'Show a QR code' }).click();
    const { url } = await (await offered).json();
    expect(url).toMatch(`${phone}/sign-in#`);
    const { data } = encode(url, { border: 2 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
    expect(await page.getByRole('img', { name: 'QR code of a sign-in link' }).locator('path').getAttribute('d')).toBe(
      dark,
    );
    await page.context().clearCookies();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }
});

function certificate(): { key: string; cert: string } {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...made, '-days', '2', '-subj', '/CN=127.0.0.1'], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

/** Chromium gives every subscription an address at its maker's; the server sends to our service instead. */
function sendTo(base: string): void {
  const own = PushSubscription.prototype.toJSON;
  PushSubscription.prototype.toJSON = function () {
    const json = own.call(this);
    return { ...json, endpoint: base + (json.endpoint ?? '').split('/').at(-1) };
  };
}

async function subscribeForAnother(): Promise<void> {
  const { publicKey } = (await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, [
    'deriveBits',
  ])) as CryptoKeyPair;
  const applicationServerKey = await crypto.subtle.exportKey('raw', publicKey);
  const { pushManager } = await navigator.serviceWorker.ready;
  await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}
