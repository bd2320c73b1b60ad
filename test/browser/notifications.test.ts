// Push messages in a real browser, delivered through its own test interface with the page closed: what is shown, what a
// press does, and what it does when it comes late. And the settings of notifications.
// Covers: web/src/hooks/push.ts, web/src/hooks/unreached.ts, web/src/pages/notifications.tsx, web/src/ui/push-settings.tsx
// Covers: web/src/ui/quiet-hours.tsx, web/src/ui/phone-link.tsx, web/src/ui/webhook-log.tsx, web/src/ui/told-line.tsx
// Covers: web/src/ui/unreached-mark.tsx
import type { CDPSession, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import type { PushPayload } from '../../src/notices/channels/push.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { describeInBrowser, expectComplaints, useTestBed } from './test-bed.ts';

interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

describeInBrowser('a notification', () => {
  const testBed = useTestBed({ env: { HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1' } });
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(() => receiver.stop());

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

  /** A browser that is signed in and notified, with its page closed. */
  async function closedPage(name: string) {
    const { page, context, complaints } = await testBed.signedIn(name);
    await context.grantPermissions(['notifications'], { origin: testBed.server.url });
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    // As after a subscription, which needs the push service of the browser's maker.
    await page.evaluate(() => localStorage.setItem('holdpoint-device', 'con_test'));
    await page.reload();
    await page.waitForFunction(async () => (await caches.keys()).includes('holdpoint-sign-in'));
    await expectComplaints({ complaints }, 'does not support the Push API in incognito mode');
    const blank = await context.newPage();
    const devtools = await context.newCDPSession(blank);
    const registrationId = await registrationOf(devtools);
    const [worker] = context.serviceWorkers();
    if (!worker) throw new Error('there is no service worker');
    await page.close();
    const push = (payload: PushPayload) =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        origin: testBed.server.url,
        registrationId,
        data: JSON.stringify(payload),
      });
    return {
      push,
      worker,
      shown: () => shownBy(worker),
      press: (tag: string, action: string) => press(worker, tag, action),
    };
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
    await browser.press(ask.ask_id, 'deny');
    await expect.poll(browser.shown).toMatchObject([{ title: 'Denied by you', tag: ask.ask_id, actions: [] }]);
    expect(await statusOf(ask)).toMatchObject({ behavior: 'deny', answered_by: 'lead', surface: 'web' });
    await browser.push(payloadFor(other));
    await expect.poll(async () => (await browser.shown()).length).toBe(2);
    await browser.press(other.ask_id, 'allow');
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
    await browser.press(late.ask_id, 'deny');
    await expect.poll(browser.shown).toContainEqual({
      title: 'Allowed by operator',
      body: expect.stringContaining('changed nothing'),
      tag: late.ask_id,
      actions: [],
    });
    expect(await statusOf(late)).toMatchObject({ behavior: 'allow', answered_by: 'operator' });
    await browser.press(changed.ask_id, 'allow');
    await expect
      .poll(browser.shown)
      .toContainEqual(expect.objectContaining({ title: 'Not decided', body: expect.stringContaining('has changed') }));
    for (const { token_id, kind } of (await testBed.client.tokens.list({ limit: 500 })).items)
      if (kind === 'browser') await testBed.client.tokens.revoke(token_id);
    const fresh = await raise('npm test');
    await browser.push(payloadFor(fresh));
    await expect.poll(async () => (await browser.shown()).some(({ tag }) => tag === fresh.ask_id)).toBe(true);
    await browser.press(fresh.ask_id, 'allow');
    await expect
      .poll(browser.shown)
      .toContainEqual(expect.objectContaining({ tag: fresh.ask_id, body: expect.stringContaining('not signed in') }));
    expect([await statusOf(fresh), await statusOf(changed)]).toEqual([undefined, undefined]);
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

  it('has settings: what this browser can do, quiet hours, a phone, what was sent to webhooks; cards say who was told', async () => {
    await testBed.client.webhooks.add({ name: 'ops', url: receiver.url });
    const { page } = await testBed.signedIn('lead');
    const ask = await raise('npm test');
    await page.goto(`/asks/${ask.ask_id}`);
    await page.getByText(/told: ops \(webhook/).waitFor();
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
    await page.getByText('which only this machine reaches').waitFor();
    await page.getByText('ask.raised, failed').waitFor();
    await page.getByText('the endpoint replied 410 Gone').first().waitFor();
    if (process.env.HOLDPOINT_SHOTS)
      await page.screenshot({ path: `${process.env.HOLDPOINT_SHOTS}/notifications.png`, fullPage: true });
  });
});

async function registrationOf(devtools: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  return found;
}

const shownBy = (worker: Worker): Promise<ShownNotification[]> =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const shown = (await registration.getNotifications()) as (Notification & { actions: { action: string }[] })[];
    return shown.map(({ title, body, tag, actions }) => ({
      title,
      body,
      tag,
      actions: actions.map(({ action }) => action),
    }));
  });

/** The handler runs as it is; only the browser's own event cannot be made, whose `waitUntil` it would call. */
const press = (worker: Worker, tag: string, action: string): Promise<void> =>
  worker.evaluate(
    async ([wanted, pressed]) => {
      const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
      const [notification] = await registration.getNotifications({ tag: wanted });
      const event = new Event('notificationclick');
      let work: Promise<unknown> | undefined;
      Object.assign(event, {
        notification,
        action: pressed,
        waitUntil: (promise: Promise<unknown>) => {
          work = promise;
        },
      });
      self.dispatchEvent(event);
      await work;
    },
    [tag, action] as const,
  );
