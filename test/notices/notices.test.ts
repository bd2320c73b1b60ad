// Notices over a whole server: devices, order and redelivery of webhooks, tests, and that nothing happens without a contact and
// a route. Routes: plan.test.ts.
// Covers: src/notices/contacts.ts, src/notices/redeliver.ts, src/notices/test-notice.ts, src/notices/views.ts
// Covers: src/server/routes/notices.ts, src/server/routes/webhooks.ts, src/client/notice-calls.ts
import { describe, expect, it } from 'vitest';
import type { DeviceView, NoticeView, TestResultView } from '../../src/core/notice-views.ts';
import { allow, decide, eventually, ok, raiseApproval, raiseQuestion, refusal, showAsk } from '../support/api-calls.ts';
import { codeOf, headersOf, postCode, signIn } from '../support/browser.ts';
import type { TestBrowser } from '../support/push-service.ts';
import { MINUTE_MS, noticesForAll, tags } from './test-bed.ts';

const bed = noticesForAll();
const { open, device, webhook, working, notices, told } = bed;

describe('without a contact and a route', () => {
  it('reads and writes nothing, and shows nothing', async () => {
    await open();
    const units: string[] = [];
    const { store } = bed.server.ports;
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
    const ask = await raiseApproval(bed.server, run);
    await ok(decide(bed.server, run, allow(ask.ask_id)));
    expect(await showAsk(bed.server, ask.ask_id)).not.toHaveProperty('notices');
    expect(units.length).toBeGreaterThan(5);
    expect(units.filter((name) => /notice|contact|quiet|batch|unreached/i.test(name))).toEqual([]);
    Object.assign(store, spied);
  });
});

describe('a device', () => {
  it('is offered Deny, and Allow only where it was wanted, all of it is shown and no risk is found', async () => {
    await open();
    const [plain, bold] = [await device('ana'), await device('ben', { allow_action: true })];
    const actionsFor = async (input: object) => {
      const ask = await raiseApproval(bed.server, await working({ work_folder: '/srv/shop' }), { input });
      await eventually(() => [tags(plain).includes(ask.ask_id), tags(bold).includes(ask.ask_id)]).toEqual([true, true]);
      return [plain, bold].map((browser) => browser.shown().get(ask.ask_id)?.actions.join());
    };
    expect(await actionsFor({ command: 'npm test' })).toEqual(['deny', 'allow,deny']);
    expect(await actionsFor({ command: 'rm -rf build' })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: 'npm test', timeout: 5 })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: 'npm test\u200b' })).toEqual(['deny', 'deny']);
    expect(await actionsFor({ command: `npm test ${'x'.repeat(400)}` })).toEqual(['deny', 'deny']);
    const question = await raiseQuestion(bed.server, await working());
    await eventually(() => plain.shown().get(question.ask_id)?.actions).toEqual([]);
    const { exp, sub } = plain.received[0]?.claims ?? {};
    expect([sub, Number(exp) > Date.now() / 1000]).toEqual(['mailto:test@example.org', true]);
  });

  it('is refused with a key that nothing can be encrypted for', async () => {
    await open();
    const { endpoint, keys } = bed.push.browser().subscription;
    const bytes = Buffer.from(keys.p256dh, 'base64url');
    for (const [i, value] of [
      [0, 2],
      [64, (bytes[64] ?? 0) ^ 1],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed[i] = value;
      const subscription = { endpoint, keys: { ...keys, p256dh: changed.toString('base64url') } };
      const refused = await bed.server.post('/v1/notices/devices', { subscription, label: 'Phone' });
      expect([refused.status, refused.body]).toMatchObject([400, { code: 'invalid_request' }]);
    }
  });

  it('of a viewer is offered nothing to press, and is sent nothing after a sign-out', async () => {
    await open();
    const browser = bed.push.browser();
    const cookies = await signIn(bed.server, { scope: 'viewer', name: 'vic' });
    const body = { subscription: browser.subscription, label: 'Laptop' };
    await ok(bed.server.post('/v1/notices/devices', body, { token: null, headers: headersOf(cookies) }));
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => browser.received.map(({ payload }) => payload.actions)).toEqual([[]]);
    await ok(bed.server.post('/v1/sign-out', {}, { token: null, headers: headersOf(cookies) }));
    const next = await raiseApproval(bed.server, await working());
    await eventually(() => ok(bed.server.get('/v1/notices/devices'))).toEqual([]);
    expect(tags(browser)).toEqual([ask.ask_id]);
    expect(next.status).toBe('pending');
  });

  it('is not shown to others where it leads, and is removed by its owner or an operator only', async () => {
    await open();
    const phone = await device('ana');
    const listed = await bed.server.get<DeviceView[]>('/v1/notices/devices');
    expect(listed.body).toMatchObject([{ label: "ana's phone", is_own: false }]);
    expect(listed.text).not.toContain('/push/');
    const viewer = (await bed.server.makeToken('viewer')).token;
    await refusal(
      bed.server.call('DELETE', `/v1/notices/devices/${phone.id}`, undefined, { token: viewer }),
      404,
      'contact_not_found',
    );
    await ok(bed.server.call('DELETE', `/v1/notices/devices/${phone.id}`, undefined, { token: phone.token }));
    expect((await bed.server.get<DeviceView[]>('/v1/notices/devices')).body).toEqual([]);
    const inside = { ...bed.push.browser().subscription, endpoint: 'https://169.254.169.254/' };
    await refusal(
      bed.server.post('/v1/notices/devices', { subscription: inside, label: 'x' }),
      400,
      'notice_target_refused',
    );
  });
});

describe('a browser that another person uses now', () => {
  const add = (browser: TestBrowser, token: string, keys = browser.subscription.keys) =>
    bed.server.post<DeviceView>(
      '/v1/notices/devices',
      { subscription: { ...browser.subscription, keys }, label: 'Shared' },
      { token },
    );

  it('is theirs alone, without the button that the other person had switched on', async () => {
    await open();
    const shared = await device('ana', { allow_action: true });
    const { token } = await bed.server.makeToken('operator', undefined, { name: 'ben' });
    expect(await ok(add(shared, token))).toMatchObject({ name: 'ben', allow_action: false });
    expect(await ok(bed.server.get<DeviceView[]>('/v1/notices/devices'))).toMatchObject([{ name: 'ben' }]);
  });

  it('is not taken over with its address alone', async () => {
    await open();
    const phone = await device('ana');
    const { token } = await bed.server.makeToken('viewer', undefined, { name: 'mallory' });
    await refusal(add(phone, token, bed.push.browser().subscription.keys), 400, 'notice_target_refused');
    expect(await ok(bed.server.get<DeviceView[]>('/v1/notices/devices'))).toMatchObject([{ name: 'ana' }]);
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
  });
});

describe('many devices', () => {
  it('are all told, and all told of the end', async () => {
    await open();
    const phone = await device('lead');
    const [first] = await bed.server.ports.store.read((r) => r.contacts());
    if (!first) throw new Error('there is no device');
    // More than a page of them, at one address: it counts what arrives.
    await bed.server.ports.store.write(async (tx) => {
      for (let i = 0; i < 520; i++)
        await tx.insert('contact', { ...first, id: `con_${i}`, addressMac: `mac ${i}`, person: `person ${i}` });
    });
    const run = await working();
    const ask = await raiseApproval(bed.server, run);
    const arrived = (event: string) => phone.received.filter(({ payload }) => payload.event === event).length;
    await eventually(() => arrived('ask.raised')).toBe(521);
    await ok(decide(bed.server, run, allow(ask.ask_id)));
    await eventually(() => arrived('ask.ended')).toBe(521);
  });

  it('of which one cannot be read are told, and the one is not tried for ever', async () => {
    await open();
    const [broken, phone] = [await device('ana'), await device('ben')];
    await bed.server.ports.store.write(async (tx) => {
      const contact = await tx.get('contact', broken.id);
      if (contact) await tx.update('contact', { ...contact, address: 'nonsense' });
    });
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => tags(phone)).toEqual([ask.ask_id]);
    const ofAna = async () => (await notices(ask.ask_id)).find(({ who }) => who === 'ana');
    await eventually(ofAna).toMatchObject({ state: 'due', attempts: 1, reason: expect.stringContaining('its log') });
    bed.server.advance(25 * 60 * MINUTE_MS);
    await eventually(async () => (await ofAna())?.state).toBe('failed');
    expect(bed.server.sweepErrors.splice(0)).toHaveLength(2);
  });

  it('of one browser are one, with the keys that it has now', async () => {
    await open();
    const browser = bed.push.browser();
    const { token } = await bed.server.makeToken('operator', undefined, { name: 'lead' });
    const add = (keys: object) => {
      const subscription = { ...browser.subscription, keys };
      return ok(bed.server.post<DeviceView>('/v1/notices/devices', { subscription, label: 'x' }, { token }));
    };
    const others = bed.push.browser().subscription.keys;
    const added = await Promise.all(Array.from({ length: 8 }, () => add(others)));
    added.push(await add(browser.subscription.keys));
    expect(new Set(added.map(({ device_id }) => device_id)).size).toBe(1);
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => tags(browser)).toEqual([ask.ask_id]);
  });
});

describe('a webhook', () => {
  it('gets the events it wants of the sessions it wants, in the order of each session, also after it was away', async () => {
    await open();
    await webhook({ agent: 'ext*', events: ['ask.raised', 'ask.ended', 'run.ended'] });
    await ok(bed.server.post('/v1/webhooks', { url: bed.receiver.url, name: 'other', agent: 'nobody' }));
    bed.receiver.mood = (response) => response.writeHead(500).end();
    const run = await working();
    for (const _ of [1, 2]) {
      const ask = await raiseApproval(bed.server, run);
      await ok(decide(bed.server, run, allow(ask.ask_id)));
    }
    await ok(bed.server.post(`/v1/runs/${run}/complete`, {}));
    bed.receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    await eventually(() => bed.receiver.distinct().map(({ type }) => type)).toEqual([
      'ask.raised',
      'ask.ended',
      'ask.raised',
      'ask.ended',
      'run.ended',
    ]);
    expect(bed.receiver.distinct()[1]?.data).toMatchObject({ ended: { answered_by: 'operator', behavior: 'allow' } });
    expect(bed.receiver.distinct()[4]?.data).toMatchObject({ status: 'completed', run_id: run });
  });

  it('is told that a request was cancelled with its run, not that it was denied', async () => {
    await open();
    await webhook({ events: ['ask.ended'] });
    const ask = await raiseApproval(bed.server, await working());
    await ok(bed.server.post(`/v1/runs/${ask.run_id}/cancel`));
    await eventually(() => bed.receiver.received.map(({ data }) => data.text)).toEqual([
      expect.stringMatching(/^Cancelled by operator\. /),
    ]);
  });

  it('is sent again what failed, under the same id', async () => {
    await open();
    const { webhook_id } = await webhook({ events: ['ask.raised'] });
    bed.receiver.mood = (response) => response.writeHead(500).end();
    const ask = await raiseApproval(bed.server, await working());
    await eventually(async () => (await notices(ask.ask_id))[0]?.attempts).toBe(1);
    bed.server.advance(25 * 60 * MINUTE_MS);
    await eventually(() => told(ask.ask_id)).toEqual(['hook ask.raised failed']);
    bed.receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    // It is found behind many that arrived.
    await bed.server.ports.store.write(async (tx) => {
      const [failed] = await tx.noticesOfAsk(ask.ask_id);
      if (!failed) throw new Error('there is no notice');
      for (let i = 0; i < 5000; i++)
        await tx.insert('notice', { ...failed, id: `ntc_${i}`, askId: undefined, state: 'accepted' });
    });
    const again = await ok(bed.server.post<NoticeView[]>(`/v1/webhooks/${webhook_id}/redeliver`));
    expect(again).toMatchObject([{ ask_id: ask.ask_id, state: 'due' }]);
    await eventually(() => bed.receiver.received.map(({ id }) => id)).toEqual([again[0]?.notice_id]);
    await eventually(() => told(ask.ask_id)).toEqual(['hook ask.raised accepted']);
    const [newest] = await ok(bed.server.get<NoticeView[]>(`/v1/webhooks/${webhook_id}/deliveries`));
    expect(newest).toMatchObject({ event: 'ask.raised', state: 'accepted' });
    await ok(bed.server.call('DELETE', `/v1/webhooks/${webhook_id}`));
    await refusal(bed.server.post(`/v1/webhooks/${webhook_id}/redeliver`), 404, 'contact_not_found');
  });

  it('is sent at once what would be retried later, when it is sent again', async () => {
    await open();
    const { webhook_id } = await webhook({ events: ['ask.raised'] });
    bed.receiver.mood = (response) => response.writeHead(500).end();
    const ask = await raiseApproval(bed.server, await working());
    await eventually(async () => (await notices(ask.ask_id))[0]?.attempts).toBe(1);
    bed.receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    const again = await ok(bed.server.post<NoticeView[]>(`/v1/webhooks/${webhook_id}/redeliver`));
    expect(again).toMatchObject([{ ask_id: ask.ask_id, attempts: 0 }]);
    await eventually(() => told(ask.ask_id)).toEqual(['hook ask.raised accepted']);
  });

  it('has a name of its own and an address that may be reached', async () => {
    await open();
    await webhook();
    await bed.server.makeToken('operator', undefined, { name: 'lead' });
    // The last with a Cyrillic letter.
    for (const name of ['hook', 'Hook', 'everyone', 'lead', 'l\u0435ad'])
      await refusal(bed.server.post('/v1/webhooks', { url: bed.receiver.url, name }), 409, 'contact_exists');
    // Nor may a person who comes later take its name, or the word that means all people.
    const code = await codeOf(bed.server);
    await refusal(postCode(bed.server, { code, name: 'Hook' }), 409, 'name_taken');
    await refusal(postCode(bed.server, { code, name: 'Everyone' }), 400, 'invalid_request');
    for (const url of ['https://127.0.0.1/', 'http://example.org/', 'ftp://x', 'nowhere'])
      await refusal(bed.server.post('/v1/webhooks', { url, name: 'x' }), 400, 'notice_target_refused');
  });
});

describe('what was lost', () => {
  it('stays listed when another browser of the person is added, and not when the same one is back', async () => {
    await open();
    const phone = await device('ana');
    bed.push.unsubscribe(phone);
    const ask = await raiseApproval(bed.server, await working());
    await eventually(() => told(ask.ask_id)).toEqual(['ana ask.raised failed']);
    const listed = async () =>
      (await ok(bed.server.get<DeviceView[]>('/v1/notices/devices'))).map(({ label, lost }) => [
        label,
        lost === undefined,
      ]);
    await device('ana', { label: 'laptop' });
    expect(await listed()).toEqual([
      ["ana's phone", false],
      ['laptop', true],
    ]);
    await device('ana');
    expect(await listed()).toEqual([
      ['laptop', true],
      ["ana's phone", true],
    ]);
  });

  it('is listed until a person removes it, and then no request is marked for it', async () => {
    await open();
    const phone = await device('ana');
    const { webhook_id } = await webhook();
    bed.push.unsubscribe(phone);
    bed.receiver.mood = (response) => response.writeHead(410).end();
    const ask = await raiseApproval(bed.server, await working());
    await eventually(async () => (await told(ask.ask_id)).sort()).toEqual([
      'ana ask.raised failed',
      'hook ask.raised failed',
    ]);
    const paths = { [phone.id]: '/v1/notices/devices', [webhook_id]: '/v1/webhooks' };
    for (const [id, path] of Object.entries(paths)) {
      expect(await ok(bed.server.get<object[]>(path))).toMatchObject([{ lost: expect.any(String) }]);
      expect(await ok(bed.server.call('DELETE', `${path}/${id}`))).not.toHaveProperty('lost');
      expect(await ok(bed.server.get<object[]>(path))).toEqual([]);
    }
    // Events are planned in their order: once the end of the other run is sent, the request was planned.
    bed.receiver.mood = (response, take) => {
      take();
      response.writeHead(200).end();
    };
    await webhook({ name: 'other', events: ['run.ended'] });
    const next = await raiseApproval(bed.server, await working());
    await ok(bed.server.post(`/v1/runs/${await working()}/cancel`));
    await eventually(() => bed.receiver.received.map(({ type }) => type)).toEqual(['run.ended']);
    expect(await notices(next.ask_id)).toEqual([]);
  });
});

describe('a test', () => {
  it('says what became of it, or whom else could be tested', async () => {
    await open();
    const phone = await device('ana');
    const test = (body: object, token = bed.server.token) =>
      ok(bed.server.post<TestResultView>('/v1/notices/test', body, { token }));
    expect(await test({}, phone.token)).toMatchObject({
      who: 'ana',
      results: [{ state: 'accepted', device: "ana's phone" }],
    });
    expect(phone.received[0]?.payload).toMatchObject({ event: 'test', title: 'Holdpoint can reach you' });
    expect((await test({ who: 'lead' })).problem).toContain('those who have: ana');
    bed.push.unsubscribe(phone);
    expect((await test({ who: 'ana' })).results).toMatchObject([
      { state: 'failed', reason: 'the browser ended its subscription' },
    ]);
    expect((await test({ who: 'ana' })).problem).toContain('Switch notifications on again');
  });
});
