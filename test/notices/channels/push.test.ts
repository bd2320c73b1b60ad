// Web Push against the suite that every channel must pass, with a push service of our own that decrypts.
// Covers: src/notices/channel.ts, src/notices/dispatch.ts, src/notices/message.ts, src/notices/send-result.ts, src/notices/channels.ts, src/notices/loop.ts

import { describeChannel, type ProviderMood } from '../../conformance/channel.ts';
import { ok } from '../../support/api-calls.ts';
import { type Mood, PushService, type TestBrowser } from '../../support/push-service.ts';

const MOODS: Record<ProviderMood, Mood> = {
  ready: (response, take) => {
    take();
    response.writeHead(201).end();
  },
  down: (response) => response.writeHead(503).end(),
  limited: (response) => response.writeHead(429, { 'retry-after': '120' }).end(),
  lost: (response, take) => {
    take();
    response.destroy();
  },
  silent: () => {},
  gone: (response) => response.writeHead(410).end(),
};

let service: PushService;
let browser: TestBrowser;

describeChannel({
  name: 'push',
  async start() {
    service = await PushService.start();
  },
  stop: () => service.stop(),
  host: () => service.host,
  async add(server) {
    browser = service.browser();
    const { token } = await server.makeToken('operator', undefined, { name: 'ana' });
    await ok(server.post('/v1/notices/devices', { subscription: browser.subscription, label: 'Phone' }, { token }));
  },
  set(mood) {
    service.mood = MOODS[mood];
  },
  texts: () => browser.received.map(({ payload }) => JSON.stringify(payload)),
  shown: (askId) =>
    [...browser.shown()].flatMap(([tag, { title, body, path }]) => (tag === askId ? [`${title} ${body} ${path}`] : [])),
  taken: (askId) => browser.received.filter(({ payload }) => payload.tag === askId).length,
  markup: { text: '<b>@everyone</b>', harmless: /<b>@everyone<\/b>/ },
  replaces: true,
});
