// Provides the typed calls about notifications: devices, quiet hours, tests and webhooks. client.ts puts them with the others.
import type { z } from 'zod';
import type * as notices from '../core/notice-views.ts';
import type { QuietHours } from '../core/quiet-hours.ts';
import type { Listed, Options, Page } from './client.ts';
import type { Call } from './http.ts';

interface Sending {
  send<T>(call: Call): Promise<T>;
  list<T>(path: string, query?: object): Promise<Listed<T>>;
}

export const noticeCalls = ({ send }: Pick<Sending, 'send'>) => ({
  /** Settings, and the pending asks of which nobody could be notified. */
  settings: (): Promise<notices.NoticeSettingsView> => send({ method: 'GET', path: '/v1/notices' }),
  /** What a browser subscribes with. */
  pushKey: (): Promise<notices.PushKeyView> => send({ method: 'GET', path: '/v1/notices/push-key' }),
  devices: (): Promise<notices.DeviceView[]> => send({ method: 'GET', path: '/v1/notices/devices' }),
  addDevice: (body: z.input<typeof notices.AddDevice>, options?: Options): Promise<notices.DeviceView> =>
    send({ method: 'POST', path: '/v1/notices/devices', body, ...options }),
  removeDevice: (id: string, options?: Options): Promise<notices.DeviceView> =>
    send({ method: 'DELETE', path: `/v1/notices/devices/${encodeURIComponent(id)}`, ...options }),
  /** Undefined: never quiet. */
  setQuietHours: (quiet_hours: QuietHours | undefined): Promise<{ quiet_hours?: QuietHours }> =>
    send({ method: 'PUT', path: '/v1/notices/quiet-hours', body: quiet_hours ? { quiet_hours } : {} }),
  /** To a person or a webhook; to yourself without a name. */
  test: (who?: string): Promise<notices.TestResultView> =>
    send({ method: 'POST', path: '/v1/notices/test', body: who === undefined ? {} : { who }, repeat: 'once' }),
});

export const webhookCalls = ({ send, list }: Sending) => {
  const of = (id: string, more = '') => `/v1/webhooks/${encodeURIComponent(id)}${more}`;
  return {
    /** Its secret is in this reply and nowhere else. */
    add: (body: z.input<typeof notices.AddWebhook>, options?: Options): Promise<notices.NewWebhookView> =>
      send({ method: 'POST', path: '/v1/webhooks', body, ...options }),
    list: (): Promise<notices.WebhookView[]> => send({ method: 'GET', path: '/v1/webhooks' }),
    remove: (id: string, options?: Options): Promise<notices.WebhookView> =>
      send({ method: 'DELETE', path: of(id), ...options }),
    /** Newest first. */
    deliveries: (id: string, query?: Page): Promise<Listed<notices.NoticeView>> => list(of(id, '/deliveries'), query),
    /** Without a choice, what failed. */
    redeliver: (
      id: string,
      body: z.input<typeof notices.Redeliver> = {},
      options?: Options,
    ): Promise<notices.NoticeView[]> => send({ method: 'POST', path: of(id, '/redeliver'), body, ...options }),
  };
};
