// The test bed of notices: a server in the test, a push service and a receiver of our own, and people with devices.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { NoticeRoute } from '../../src/core/notice-route.ts';
import type { DeviceView, NewWebhookView, NoticeView } from '../../src/core/notice-views.ts';
import { newSession, ok, showAsk, startRun } from '../support/api-calls.ts';
import { PushService, type TestBrowser } from '../support/push-service.ts';
import { openServer, type Server } from '../support/server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

export const MINUTE_MS = 60_000;

/** Every message that a browser was sent, by its tag. */
export const tags = (browser: TestBrowser) => browser.received.map(({ payload }) => payload.tag);

export function noticesForAll() {
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
  const notices = async (askId: string): Promise<NoticeView[]> => (await showAsk(server, askId)).notices ?? [];

  return {
    get push() {
      return push;
    },
    get receiver() {
      return receiver;
    },
    get server() {
      return server;
    },
    async open(...noticeRoutes: NoticeRoute[]) {
      server = await openServer({ notifyHosts: [push.host, receiver.host], noticeRoutes });
    },
    async device(name: string, more: object = {}): Promise<TestBrowser & { token: string; id: string }> {
      const browser = push.browser();
      const { token } = await server.makeToken('operator', undefined, { name });
      const body = { subscription: browser.subscription, label: `${name}'s phone`, ...more };
      const { device_id: id } = await ok(server.post<DeviceView>('/v1/notices/devices', body, { token }));
      return { ...browser, token, id };
    },
    async webhook(more: object = {}): Promise<NewWebhookView> {
      const added = await ok(server.post<NewWebhookView>('/v1/webhooks', { url: receiver.url, name: 'hook', ...more }));
      receiver.secret = added.secret;
      return added;
    },
    /** A run at work. */
    async working(more: object = {}): Promise<string> {
      const { session_id } = await newSession(server, { title: 'Shop', ...more });
      return (await startRun(server, session_id)).run_id;
    },
    notices,
    told: async (askId: string) => (await notices(askId)).map(({ who, event, state }) => `${who} ${event} ${state}`),
  };
}
