// Notices over a whole server: routes, escalation, digests, quiet hours, order and redelivery of webhooks, who may be told,
// and that nothing happens while nobody wants to be told.
// Covers: src/notices/plan.ts, src/notices/contacts.ts, src/notices/redeliver.ts, src/notices/test-notice.ts, src/notices/views.ts
// Covers: src/notices/message-text.ts, src/server/routes/notices.ts, src/server/routes/webhooks.ts, src/client/notice-calls.ts
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NoticeRoute } from '../../src/core/notice-route.ts';
import type {
  DeviceView,
  NewWebhookView,
  NoticeSettingsView,
  NoticeView,
  TestResultView,
} from '../../src/core/notice-views.ts';
import {
  allow,
  decide,
  eventually,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  showAsk,
  startRun,
} from '../support/api-calls.ts';
import { headersOf, signIn } from '../support/browser.ts';
import { PushService, type TestBrowser } from '../support/push-service.ts';
import { openServer, type Server } from '../support/server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

let push: PushService;
let receiver: WebhookReceiver;
let server: Server;
beforeAll(async () => {
  [push, receiver] = await Promise.all([PushService.start(), WebhookReceiver.start()]);
});
afterEach(async () => {
  await server.close();
  expect(server.sweepErrors).toEqual([]);
  receiver.received.splice(0);
});
afterAll(() => Promise.all([push.stop(), receiver.stop()]));

const open = async (...noticeRoutes: NoticeRoute[]) => {
  server = await openServer({ notifyHosts: [push.host, receiver.host], noticeRoutes });
};
const MINUTE_MS = 60_000;

async function device(name: string, more: object = {}): Promise<TestBrowser & { token: string; id: string }> {
  const browser = push.browser();
  const { token } = await server.makeToken('operator', undefined, { name });
  const body = { subscription: browser.subscription, label: `${name}'s phone`, ...more };
  const { device_id: id } = await ok(server.post<DeviceView>('/v1/notices/devices', body, { token }));
  return { ...browser, token, id };
}

async function webhook(more: object = {}): Promise<NewWebhookView> {
  const added = await ok(server.post<NewWebhookView>('/v1/webhooks', { url: receiver.url, name: 'hook', ...more }));
  receiver.secret = added.secret;
  return added;
}

async function working(more: object = {}) {
  const { session_id } = await newSession(server, { title: 'Shop', ...more });
  return (await startRun(server, session_id)).run_id;
}

const tags = (browser: TestBrowser) => browser.received.map(({ payload }) => payload.tag);
const notices = async (askId: string): Promise<NoticeView[]> => (await showAsk(server, askId)).notices ?? [];
const told = async (askId: string) => (await notices(askId)).map(({ who, event, state }) => `${who} ${event} ${state}`);

describe('while nobody wants to be told', () => {
  it('reads and writes nothing, and shows nothing', async () => {
    await open();
    const units: string[] = [];
    const { store } = server.ports;
    const spied = { read: store.read, write: store.write };
    const seen: (keyof typeof spied)[] = ['read', 'write'];
    const run = await working();
    /** Notes which calls a unit makes. */
    const noted = (tx: object) =>
      new Proxy(tx, {
        get(target, name) {
          units.push(String(name));
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    for (const kind of seen)
      store[kind] = ((unit: (tx: object) => unknown, ...rest: []) =>
        spied[kind].call(store, (tx: object) => unit(noted(tx)) as never, ...rest)) as never;
    const ask = await raiseApproval(server, run);
    await ok(decide(server, run, allow(ask.ask_id)));
    expect(await showAsk(server, ask.ask_id)).not.toHaveProperty('notices');
    expect(units.length).toBeGreaterThan(5);
    expect(units.filter((name) => /notice|contact|quiet|batch|unreached/i.test(name))).toEqual([]);
    Object.assign(store, spied);
  });
});

describe('routes', () => {
  const lead = [{ who: 'lead', by: ['push'] }];

  it('tell the people they name, then others while nobody reacts, and stop when the ask ends', async () => {
    await open({ match: { tool: 'Bash' }, tell: lead, after: { '5m': [{ who: 'ops' }], '30m': [{ who: 'boss' }] } });
    const [phone, ops, boss] = [await device('lead'), await device('ops'), await device('boss')];
    const run = await working();
    const ask = await raiseApproval(server, run);
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
    server.advance(5 * MINUTE_MS);
    await eventually(() => tags(ops)).toEqual([ask.ask_id]);
    expect(ops.received[0]?.payload.body).toContain('Nobody has reacted for 5 minutes. Bash: rm -rf build');
    await ok(decide(server, run, allow(ask.ask_id)));
    await eventually(() => [phone.shown().get(ask.ask_id)?.title, ops.shown().get(ask.ask_id)?.title]).toEqual([
      'Allowed by operator: external · Shop',
      'Allowed by operator: external · Shop',
    ]);
    server.advance(60 * MINUTE_MS);
    const question = await raiseQuestion(server, await working());
    await eventually(() => tags(boss)).toEqual([question.ask_id]);
    expect(await told(ask.ask_id)).toContain('boss step cancelled');
  });

  it('mark an ask where they mean nobody, and do not wait for a person who has seen it or snoozed it', async () => {
    await open(
      { match: { kind: 'question' }, tell: [{ who: 'ghost' }] },
      { tell: lead, after: { '5m': [{ who: 'ops' }] }, seen: 'stops' },
    );
    const [phone, ops] = [await device('lead'), await device('ops')];
    const question = await raiseQuestion(server, await working());
    await eventually(() => told(question.ask_id)).toEqual(['ghost ask.raised failed']);
    const settings = await ok(server.get<NoticeSettingsView>('/v1/notices'));
    expect(settings).toMatchObject({ routes: 2, unknown_names: ['ghost'], unreached: [question.ask_id] });
    const seen = await raiseApproval(server, await working());
    const snoozed = await raiseApproval(server, await working());
    await eventually(() => tags(phone).toSorted()).toEqual([seen.ask_id, snoozed.ask_id].toSorted());
    await ok(server.post(`/v1/asks/${seen.ask_id}/seen`, {}, { token: phone.token }));
    await ok(server.post(`/v1/asks/${snoozed.ask_id}/snooze`, { until_ms: server.now() + 20 * MINUTE_MS }));
    server.advance(6 * MINUTE_MS);
    await eventually(() => told(seen.ask_id)).toContain('ops step cancelled');
    expect(await told(snoozed.ask_id)).toContain('ops step due');
    server.advance(15 * MINUTE_MS);
    await eventually(() => tags(ops)).toEqual([snoozed.ask_id]);
  });

  it('send many asks as one message, and say how many of them still wait', async () => {
    await open({ tell: lead, digest: '10m' });
    const phone = await device('lead');
    const run = await working();
    const first = await raiseApproval(server, run);
    await eventually(() => tags(phone)).toEqual([first.ask_id]);
    const asks = [await raiseApproval(server, run), await raiseApproval(server, run), await raiseApproval(server, run)];
    await eventually(() => told(asks[2]?.ask_id ?? '')).toEqual(['lead ask.raised due']);
    server.advance(10 * MINUTE_MS);
    await eventually(() => phone.received.at(-1)?.payload).toMatchObject({
      title: '3 requests wait: external · Shop',
      path: '/',
      actions: [],
    });
    const tag = phone.received.at(-1)?.payload.tag;
    await ok(decide(server, run, allow(asks[0]?.ask_id ?? '')));
    await eventually(() => phone.received.at(-1)?.payload).toMatchObject({
      tag,
      title: '2 requests wait: external · Shop',
    });
    expect(phone.received).toHaveLength(3);
  });

  it('let no agent bury the request of another under many of its own', async () => {
    await open();
    const phone = await device('lead');
    const [flooding, other] = [await working({ title: 'Flood' }), await working()];
    for (let i = 0; i < 30; i++) await raiseApproval(server, flooding, { input: { command: `step ${i}` } });
    const real = await raiseApproval(server, other);
    await eventually(() => phone.shown().get(real.ask_id)?.title).toBe('Approval: external · Shop');
    server.advance(MINUTE_MS);
    await eventually(() => phone.received.at(-1)?.payload.title).toMatch(/^\d+ requests wait: external · Flood$/);
    expect(phone.received.length).toBeLessThan(15);
  });

  it('wait for the end of quiet hours, unless they are urgent', async () => {
    await open({ match: { tool: 'Deploy' }, tell: lead, urgent: true });
    const phone = await device('lead');
    const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const hours = { from: at(server.now() - 60 * MINUTE_MS), to: at(server.now() + 60 * MINUTE_MS), time_zone: 'UTC' };
    await ok(server.call('PUT', '/v1/notices/quiet-hours', { quiet_hours: hours }, { token: phone.token }));
    const quiet = await raiseApproval(server, await working());
    const urgent = await raiseApproval(server, await working(), { tool_name: 'Deploy' });
    await eventually(() => tags(phone)).toEqual([urgent.ask_id]);
    expect(phone.received[0]?.headers).toMatchObject({ urgency: 'high' });
    expect(await told(quiet.ask_id)).toEqual(['lead ask.raised due']);
    server.advance(61 * MINUTE_MS);
    await eventually(() => tags(phone)).toEqual([urgent.ask_id, quiet.ask_id]);
  });
});

describe('a device', () => {
  it('is offered Deny, and Allow only where it was wanted, all of it is shown and no risk is found', async () => {
    await open();
    const [plain, bold] = [await device('ana'), await device('ben', { allow_action: true })];
    const actionsFor = async (input: object) => {
      const ask = await raiseApproval(server, await working({ work_folder: '/srv/shop' }), { input });
      await eventually(() => [tags(plain).includes(ask.ask_id), tags(bold).includes(ask.ask_id)]).toEqual([true, true]);
      return [plain, bold].map((browser) => browser.shown().get(ask.ask_id)?.actions.join());
    };
    expect(await actionsFor({ command: 'npm test' })).toEqual(['deny', 'allow,deny']);
    expect(await actionsFor({ command: 'rm -rf build' })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: 'npm test', timeout: 5 })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: 'npm test\u200b' })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: `npm test ${'x'.repeat(400)}` })).toEqual(['deny', 'deny']);
    const question = await raiseQuestion(server, await working());
    await eventually(() => plain.shown().get(question.ask_id)?.actions).toEqual([]);
    const { exp, sub } = plain.received[0]?.claims ?? {};
    expect([sub, Number(exp) > Date.now() / 1000]).toEqual(['mailto:test@example.org', true]);
  });

  it('of a viewer is offered nothing to press, and is sent nothing after a sign-out', async () => {
    await open();
    const browser = push.browser();
    const cookies = await signIn(server, { scope: 'viewer', name: 'vic' });
    const body = { subscription: browser.subscription, label: 'Laptop' };
    await ok(server.post('/v1/notices/devices', body, { token: null, headers: headersOf(cookies) }));
    const ask = await raiseApproval(server, await working());
    await eventually(() => browser.received.map(({ payload }) => payload.actions)).toEqual([[]]);
    await ok(server.post('/v1/sign-out', {}, { token: null, headers: headersOf(cookies) }));
    const next = await raiseApproval(server, await working());
    await eventually(() => ok(server.get('/v1/notices/devices'))).toEqual([]);
    expect(tags(browser)).toEqual([ask.ask_id]);
    expect(next.status).toBe('pending');
  });

  it('is not shown to others where it leads, and is removed by its owner or an operator only', async () => {
    await open();
    const phone = await device('ana');
    const listed = await server.get<DeviceView[]>('/v1/notices/devices');
    expect(listed.body).toMatchObject([{ label: "ana's phone", is_own: false }]);
    expect(listed.text).not.toContain('/push/');
    const viewer = (await server.makeToken('viewer')).token;
    await refusal(
      server.call('DELETE', `/v1/notices/devices/${phone.id}`, undefined, { token: viewer }),
      404,
      'contact_not_found',
    );
    await ok(server.call('DELETE', `/v1/notices/devices/${phone.id}`, undefined, { token: phone.token }));
    expect((await server.get<DeviceView[]>('/v1/notices/devices')).body).toEqual([]);
    const inside = { ...push.browser().subscription, endpoint: 'https://169.254.169.254/' };
    await refusal(
      server.post('/v1/notices/devices', { subscription: inside, label: 'x' }),
      400,
      'notice_target_refused',
    );
  });
});

describe('a webhook', () => {
  it('gets the events it wants of the sessions it wants, in the order of each session, also after it was away', async () => {
    await open();
    await webhook({ agent: 'ext*', events: ['ask.raised', 'ask.ended', 'run.ended'] });
    await ok(server.post('/v1/webhooks', { url: receiver.url, name: 'other', agent: 'nobody' }));
    receiver.mood = (response) => response.writeHead(500).end();
    const run = await working();
    for (const _ of [1, 2]) {
      const ask = await raiseApproval(server, run);
      await ok(decide(server, run, allow(ask.ask_id)));
    }
    await ok(server.post(`/v1/runs/${run}/complete`, {}));
    receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    await eventually(() => receiver.distinct().map(({ type }) => type)).toEqual([
      'ask.raised',
      'ask.ended',
      'ask.raised',
      'ask.ended',
      'run.ended',
    ]);
    expect(receiver.distinct()[1]?.data).toMatchObject({ ended: { answered_by: 'operator', behavior: 'allow' } });
    expect(receiver.distinct()[4]?.data).toMatchObject({ status: 'completed', run_id: run });
  });

  it('is sent again what failed, under the same id', async () => {
    await open();
    const { webhook_id } = await webhook({ events: ['ask.raised'] });
    receiver.mood = (response) => response.writeHead(500).end();
    const ask = await raiseApproval(server, await working());
    await eventually(async () => (await notices(ask.ask_id))[0]?.attempts).toBe(1);
    server.advance(25 * 60 * MINUTE_MS);
    await eventually(() => told(ask.ask_id)).toEqual(['hook ask.raised failed']);
    receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    const again = await ok(server.post<NoticeView[]>(`/v1/webhooks/${webhook_id}/redeliver`));
    expect(again).toMatchObject([{ ask_id: ask.ask_id, state: 'due' }]);
    await eventually(() => receiver.received.map(({ id }) => id)).toEqual([again[0]?.notice_id]);
    await eventually(() => ok(server.get<NoticeView[]>(`/v1/webhooks/${webhook_id}/deliveries`))).toMatchObject([
      { event: 'ask.raised', state: 'accepted' },
    ]);
    await ok(server.call('DELETE', `/v1/webhooks/${webhook_id}`));
    await refusal(server.post(`/v1/webhooks/${webhook_id}/redeliver`), 404, 'contact_not_found');
  });

  it('has a name of its own and an address that may be reached', async () => {
    await open();
    await webhook();
    await refusal(server.post('/v1/webhooks', { url: receiver.url, name: 'hook' }), 409, 'contact_exists');
    for (const url of ['https://127.0.0.1/', 'http://example.org/', 'ftp://x', 'nowhere'])
      await refusal(server.post('/v1/webhooks', { url, name: 'x' }), 400, 'notice_target_refused');
  });
});

describe('a test', () => {
  it('says what became of it, or whom else could be tested', async () => {
    await open();
    const phone = await device('ana');
    const test = (body: object, token = server.token) =>
      ok(server.post<TestResultView>('/v1/notices/test', body, { token }));
    expect(await test({}, phone.token)).toMatchObject({
      who: 'ana',
      results: [{ state: 'accepted', device: "ana's phone" }],
    });
    expect(phone.received[0]?.payload).toMatchObject({ event: 'test', title: 'Holdpoint can reach you' });
    expect((await test({ who: 'lead' })).problem).toContain('those who have: ana');
    push.unsubscribe(phone);
    expect((await test({ who: 'ana' })).results).toMatchObject([
      { state: 'failed', reason: 'the browser ended its subscription' },
    ]);
    expect((await test({ who: 'ana' })).problem).toContain('Switch notifications on again');
  });
});
