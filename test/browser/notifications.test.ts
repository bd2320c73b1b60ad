// Push messages in a real browser, delivered through its own test interface with the page closed: what is shown, what a
// press does, and what it does when it comes late. And the settings of notifications.
// Covers: web/src/hooks/push.ts, web/src/hooks/unreached.ts, web/src/pages/notifications.tsx, web/src/ui/push-settings.tsx
// Covers: web/src/ui/quiet-hours.tsx, web/src/ui/phone-link.tsx, web/src/ui/webhook-log.tsx, web/src/ui/told-line.tsx
// Covers: web/src/ui/unreached-mark.tsx
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import type { PushPayload } from '../../src/notices/channels/push.ts';
import { PushService } from '../support/push-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { countShown, press, registrationOf, shownBy, shownCount } from './shown-notifications.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

describeInBrowser('a notification', () => {
  const testBed = useTestBed({ env: { HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1' } });
  let receiver: WebhookReceiver;
  let service: PushService;
  beforeAll(async () => {
    [receiver, service] = await Promise.all([WebhookReceiver.start(), PushService.start()]);
  });
  afterAll(() => Promise.all([receiver.stop(), service.stop()]));

  const raise = async (command: string): Promise<AskView> => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external', title: 'Deploy' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: {} });
    return testBed.client.asks.raise(run_id, {
      kind: 'approval',
      tool_call_id: 'a',
      tool_name: 'Bash',
      input: { command },
    });
  };
  const allow = (ask: AskView) =>
    testBed.client.approvals.decideRun(ask.run_id, { resolutions: [{ request_id: ask.ask_id, behavior: 'allow' }] });

  /** A browser that is signed in and notified. */
  async function notifiedPage(name: string) {
    const { page, context, complaints } = await testBed.signedIn(name);
    await context.grantPermissions(['notifications'], { origin: testBed.server.url });
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    // As after a subscription, which needs the push service of the browser's maker.
    await page.evaluate(() => localStorage.setItem('holdpoint-device', 'con_test'));
    await page.reload();
    await page.waitForFunction(async () => (await caches.keys()).includes('holdpoint-sign-in'));
    await expectComplaints({ complaints }, 'does not support the Push API in incognito mode');
    return { page, ...(await workerOf(context)) };
  }

  /** Its service worker, to which the browser's own test interface delivers messages. */
  async function workerOf(context: BrowserContext) {
    const devtools = await context.newCDPSession(await context.newPage());
    const registrationId = await registrationOf(devtools);
    const [worker] = context.serviceWorkers();
    if (!worker) throw new Error('there is no service worker');
    await countShown(worker);
    return {
      /** Until it is shown: a look at what is shown while a notification appears makes Chromium forget that notification. */
      async push(payload: PushPayload) {
        const before = await shownCount(worker);
        await devtools.send('ServiceWorker.deliverPushMessage', {
          origin: testBed.server.url,
          registrationId,
          data: JSON.stringify(payload),
        });
        await expect.poll(() => shownCount(worker)).toBeGreaterThan(before);
      },
      worker,
      shown: () => shownBy(worker),
      /** Actions of one round are pressed at once. */
      press: (tag: string, ...rounds: string[][]) => press(worker, tag, rounds),
    };
  }

  async function closedPage(name: string) {
    const browser = await notifiedPage(name);
    await browser.page.close();
    return browser;
  }

  const payloadFor = (ask: AskView, more: Partial<PushPayload> = {}): PushPayload => ({
    event: 'ask.raised',
    tag: ask.ask_id,
    title: 'Approval: external · Deploy',
    body: 'Bash: npm test',
    path: `/asks/${ask.ask_id}`,
    urgent: false,
    actions: ['allow', 'deny'],
    ask: { ask_id: ask.ask_id, run_id: ask.run_id, digest: ask.request.digest },
    ...more,
  });
  const statusOf = async ({ ask_id }: AskView) => (await testBed.client.asks.get(ask_id)).answer;

  it('is shown once for repeats, denies and allows as the person who is signed in, and says what was done', async () => {
    const browser = await closedPage('lead');
    const [ask, other] = [await raise('npm test'), await raise('npm run lint')];
    await browser.push(payloadFor(ask));
    await browser.push(payloadFor(ask));
    await expect
      .poll(browser.shown)
      .toEqual([
        { title: 'Approval: external · Deploy', body: 'Bash: npm test', tag: ask.ask_id, actions: ['allow', 'deny'] },
      ]);
    await browser.press(ask.ask_id, ['deny']);
    await expect.poll(browser.shown).toMatchObject([{ title: 'Denied by you', tag: ask.ask_id, actions: [] }]);
    expect(await statusOf(ask)).toMatchObject({ behavior: 'deny', answered_by: 'lead', surface: 'web' });
    await browser.push(payloadFor(other));
    await expect.poll(async () => (await browser.shown()).length).toBe(2);
    await browser.press(other.ask_id, ['allow']);
    await expect.poll(() => statusOf(other)).toMatchObject({ behavior: 'allow', answered_by: 'lead' });
  });

  it('that is pressed late, after a change or signed out says so and changes nothing', async () => {
    const browser = await closedPage('lead');
    const [late, changed] = [await raise('npm test'), await raise('npm test')];
    await browser.push(payloadFor(late));
    await browser.push(
      payloadFor(changed, { ask: { ask_id: changed.ask_id, run_id: changed.run_id, digest: 'sha256:other' } }),
    );
    await expect.poll(async () => (await browser.shown()).length).toBe(2);
    await allow(late);
    await browser.press(late.ask_id, ['deny']);
    await expect.poll(browser.shown).toContainEqual({
      title: 'Allowed by operator',
      body: expect.stringContaining('changed nothing'),
      tag: late.ask_id,
      actions: [],
    });
    expect(await statusOf(late)).toMatchObject({ behavior: 'allow', answered_by: 'operator' });
    const cancelled = await raise('npm test');
    await browser.push(payloadFor(cancelled));
    await expect.poll(async () => (await browser.shown()).length).toBe(3);
    await testBed.client.runs.cancel(cancelled.run_id);
    await browser.press(cancelled.ask_id, ['allow']);
    await expect.poll(browser.shown).toContainEqual(expect.objectContaining({ title: 'Cancelled by operator' }));
    await browser.press(changed.ask_id, ['allow']);
    await expect
      .poll(browser.shown)
      .toContainEqual(expect.objectContaining({ title: 'Not decided', body: expect.stringContaining('has changed') }));
    for (const { token_id, kind } of (await testBed.client.tokens.list({ limit: 500 })).items)
      if (kind === 'browser') await testBed.client.tokens.revoke(token_id);
    const fresh = await raise('npm test');
    await browser.push(payloadFor(fresh));
    await expect.poll(async () => (await browser.shown()).some(({ tag }) => tag === fresh.ask_id)).toBe(true);
    await browser.press(fresh.ask_id, ['allow']);
    await expect
      .poll(browser.shown)
      .toContainEqual(expect.objectContaining({ tag: fresh.ask_id, body: expect.stringContaining('not signed in') }));
    expect([await statusOf(fresh), await statusOf(changed)]).toEqual([undefined, undefined]);
  });

  it('that is pressed twice, or replayed with another decision, decides once and says who decided', async () => {
    const browser = await closedPage('lead');
    const ask = await raise('npm test');
    await browser.push(payloadFor(ask));
    await expect.poll(async () => (await browser.shown()).length).toBe(1);
    await browser.press(ask.ask_id, ['deny', 'deny'], ['allow']);
    await expect
      .poll(browser.shown)
      .toMatchObject([{ title: 'Denied by lead', body: expect.stringContaining('changed nothing'), actions: [] }]);
    const { items } = await testBed.client.events.ofRun(ask.run_id);
    expect(items.filter(({ type }) => type === 'ask.claimed')).toHaveLength(1);
    expect(await statusOf(ask)).toMatchObject({ behavior: 'deny', answered_by: 'lead' });
  });

  it('decides nothing by a button that it did not have', async () => {
    const browser = await closedPage('lead');
    const ask = await raise('npm test');
    await browser.push(payloadFor(ask, { actions: ['deny'] }));
    await expect.poll(async () => (await browser.shown()).length).toBe(1);
    await browser.press(ask.ask_id, ['allow']);
    expect(await statusOf(ask)).toBeUndefined();
  });

  it('that two people press at once is decided by one of them, and the other is told by whom', async () => {
    const browsers = [await closedPage('lead'), await closedPage('ana')] as const;
    const ask = await raise('npm test');
    for (const browser of browsers) {
      await browser.push(payloadFor(ask));
      await expect.poll(async () => (await browser.shown()).length).toBe(1);
    }
    await Promise.all([browsers[0].press(ask.ask_id, ['deny']), browsers[1].press(ask.ask_id, ['allow'])]);
    const { behavior, answered_by: winner } = (await statusOf(ask)) ?? {};
    const did = behavior === 'deny' ? 'Denied' : 'Allowed';
    const titles = winner === 'lead' ? [`${did} by you`, `${did} by lead`] : [`${did} by ana`, `${did} by you`];
    for (const [i, browser] of browsers.entries())
      await expect.poll(browser.shown).toMatchObject([{ title: titles[i] }]);
  });

  it('does not claim that nothing was decided where the reply to a press is lost', async () => {
    const browser = await closedPage('lead');
    const ask = await raise('npm test');
    await browser.push(payloadFor(ask));
    await expect.poll(async () => (await browser.shown()).length).toBe(1);
    await browser.worker.evaluate(() => {
      const send = self.fetch;
      self.fetch = async (...call) => {
        const reply = await send(...call);
        if (call[1]?.method === 'POST') throw new TypeError('connection reset');
        return reply;
      };
    });
    await browser.press(ask.ask_id, ['deny']);
    await expect
      .poll(browser.shown)
      .toMatchObject([{ title: 'No reply', body: expect.stringContaining('see whether') }]);
    expect(await statusOf(ask)).toMatchObject({ behavior: 'deny', answered_by: 'lead' });
  });

  it('opens its request in the page that is open, and never a page of another host', async () => {
    const browser = await notifiedPage('lead');
    const [ask, forged] = [await raise('npm test'), await raise('npm run forged')];
    const at = () => browser.page.url();
    const pressFromHistory = async (payload: PushPayload) => {
      await browser.page.getByRole('link', { name: 'History' }).click();
      await expect.poll(at).toBe(`${testBed.server.url}/history`);
      await browser.push(payload);
      await expect.poll(async () => (await browser.shown()).some(({ tag }) => tag === payload.tag)).toBe(true);
      await browser.press(payload.tag, ['']);
      await expect.poll(at).not.toBe(`${testBed.server.url}/history`);
    };
    await pressFromHistory(payloadFor(ask));
    expect(at()).toBe(`${testBed.server.url}/asks/${ask.ask_id}`);
    await pressFromHistory(payloadFor(forged, { path: 'https://evil.example/asks/1' }));
    expect(new URL(at()).origin).toBe(testBed.server.url);
  });

  it('says how the request ended where it is shown, and stays away where it was dismissed', async () => {
    const browser = await closedPage('lead');
    const [ask, dismissed] = [await raise('npm test'), await raise('npm test')];
    const end = (of: AskView) => payloadFor(of, { event: 'ask.ended', title: 'Denied by ana: Deploy', actions: [] });
    await browser.push(payloadFor(ask));
    await expect.poll(async () => (await browser.shown()).length).toBe(1);
    await browser.push(end(ask));
    await browser.push(end(dismissed));
    await expect.poll(browser.shown).toMatchObject([{ title: 'Denied by ana: Deploy', tag: ask.ask_id, actions: [] }]);
  });

  it('that is pressed keeps what the press did where the end arrives at the same time', async () => {
    const browser = await closedPage('lead');
    const ask = await raise('npm test');
    await browser.push(payloadFor(ask));
    await browser.worker.evaluate(endWhilePressed);
    const pressing = browser.press(ask.ask_id, ['deny']);
    await browser.push(payloadFor(ask, { event: 'ask.ended', title: 'Denied by lead: Deploy', actions: [] }));
    await pressing;
    await expect.poll(browser.shown).toMatchObject([{ title: 'Denied by you', tag: ask.ask_id }]);
  });

  it('is switched on, tested and switched off on the page, and what the server sends can be pressed', async () => {
    const { page, context } = await testBed.signedIn('lead');
    await context.grantPermissions(['notifications'], { origin: testBed.server.url });
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    // The push service of the browser's maker is replaced by our own; everything else is as it is.
    const device = service.browser();
    await context.addInitScript((subscription) => {
      PushManager.prototype.subscribe = async () => ({ toJSON: () => subscription }) as unknown as PushSubscription;
      PushManager.prototype.getSubscription = async () => null;
    }, device.subscription);
    await page.goto('/notifications');
    await page.getByRole('switch', { name: 'Switch notifications on' }).click();
    await page.getByText('On, also while this page is closed.').waitFor();
    await page.getByText(/^lead: Chrome on/).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Sent. It should appear').waitFor();
    await page.getByRole('checkbox', { name: /Offer Allow/ }).click();
    await expect.poll(async () => (await testBed.client.notices.devices())[0]?.allow_action).toBe(true);
    const browser = await workerOf(context);
    await page.close();
    const ask = await raise('npm test');
    const sent = () => device.received.map(({ payload }) => payload).find(({ tag }) => tag === ask.ask_id);
    await expect.poll(sent).toMatchObject({ actions: ['allow', 'deny'] });
    await browser.push(sent() as PushPayload);
    await expect.poll(async () => (await browser.shown()).length).toBe(1);
    await browser.press(ask.ask_id, ['allow']);
    await expect.poll(() => statusOf(ask)).toMatchObject({ behavior: 'allow', answered_by: 'lead', surface: 'web' });
    const again = await context.newPage();
    await again.goto('/notifications');
    await again.getByRole('switch', { name: 'Switch notifications off' }).click();
    await again.getByText('None yet.').waitFor();
    expect(await testBed.client.notices.devices()).toEqual([]);
  });

  it('has settings: what this browser can do, quiet hours, a phone, what was sent to webhooks; cards say who was told', async () => {
    await testBed.client.webhooks.add({ name: 'ops', url: receiver.url });
    const { page } = await testBed.signedIn('lead');
    const ask = await raise('npm test');
    await page.goto(`/asks/${ask.ask_id}`);
    await page.getByText(/Notified: ops \(webhook/).waitFor();
    receiver.mood = (response) => response.writeHead(410).end();
    const unheard = await raise('npm run unheard');
    await page.goto(`/asks/${unheard.ask_id}`);
    await page.getByText('Nobody could be notified of this: ops').waitFor();
    await page.getByTitle('Nobody could be notified of this').first().waitFor();
    await page.goto('/notifications');
    await page.getByText('None yet.').waitFor();
    await page.getByRole('switch', { name: 'Switch notifications on' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Quiet from 22:00 to 07:00').waitFor();
    await page.getByText('an address that works only on this machine').waitFor();
    await page.getByText('ask.raised, failed').waitFor();
    await page.getByText('the endpoint replied 410 Gone').first().waitFor();
    if (process.env.HOLDPOINT_SHOTS)
      await page.screenshot({ path: `${process.env.HOLDPOINT_SHOTS}/notifications.png`, fullPage: true });
  });
});

/** Runs in the service worker: the reply to a press arrives once its end is shown, and what it did appears right after. */
function endWhilePressed(): void {
  const [ended, said] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = self.fetch;
  self.fetch = async (...call) => {
    const reply = await send(...call);
    if (call[1]?.method === 'POST') await ended.promise;
    return reply;
  };
  const { prototype } = ServiceWorkerRegistration;
  const show = prototype.showNotification;
  prototype.showNotification = async function (title, options) {
    await show.call(this, title, options);
    if (title === 'Denied by you') return said.resolve();
    ended.resolve();
    await said.promise;
  };
}
