// Web Push against the suite that every channel must pass, with a push service of our own that decrypts.
// Covers: src/notices/channel.ts, src/notices/dispatch.ts, src/notices/message.ts, src/notices/send-result.ts, src/notices/channels.ts, src/notices/loop.ts

import { describeChannel } from '../../conformance/channel.ts';
import { ok } from '../../support/api-calls.ts';
import { PushService, type TestBrowser } from '../../support/push-service.ts';

let service: PushService;
let browser: TestBrowser;

describeChannel({
  name: 'push',
  async start() {
    service = await PushService.start();
    return service;
  },
  stop: () => service.stop(),
  async add(server) {
    browser = service.browser();
    const { token } = await server.makeToken('operator', undefined, { name: 'ana' });
    await ok(server.post('/v1/notices/devices', { subscription: browser.subscription, label: 'Phone' }, { token }));
  },
  texts: () => browser.received.map(({ payload }) => JSON.stringify(payload)),
  shown: (askId) =>
    [...browser.shown()].flatMap(([tag, { title, body, path }]) => (tag === askId ? [`${title} ${body} ${path}`] : [])),
  taken: (askId) => browser.received.filter(({ payload }) => payload.tag === askId).length,
  markup: { text: '<b>@everyone</b>', harmless: /<b>@everyone<\/b>/ },
  replaces: true,
});
