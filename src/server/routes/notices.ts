// Lists and changes the caller's devices and quiet hours, sends test notices, and says what nobody could be notified of.
import { z } from 'zod';
import {
  AddDevice,
  DeviceView,
  NoticeSettingsView,
  PushKeyView,
  SetQuietHours,
  TestNotices,
  TestResultView,
} from '../../core/notice-views.ts';
import { QuietHours } from '../../core/quiet-hours.ts';
import { READERS } from '../auth.ts';
import type { AddRoutes } from './route.ts';

/** As a browser subscribes; the keys belong to no browser. */
const DEVICE = {
  subscription: {
    endpoint: 'https://push.example.org/send/1',
    keys: {
      p256dh: 'BG_wO5SSQc4drdQ1GeaWDgqFtBppoFwygQOqK84VlMoWPE91OlW_AdxT9sCwx-7ni0DG_30lqW4igrmJzvccFEo',
      auth: 'A'.repeat(22),
    },
  },
  label: 'Firefox on Android',
};

export const addNotices: AddRoutes = ({ route, notices }) => {
  route('notices', 'GET /v1/notices', {
    name: 'showNoticeSettings',
    description: 'Whom routes name without effect, and when the caller is not notified.',
    summary: 'Settings of notifications, and pending asks of which nobody could be notified',
    scopes: READERS,
    reply: NoticeSettingsView,
    handle: ({ actor }) => notices.settings(actor),
  });

  route('notices', 'GET /v1/notices/push-key', {
    name: 'showPushKey',
    summary: 'The key that a browser subscribes to its push service with',
    description: 'Made when it is asked for first; the same at every server of a database.',
    scopes: READERS,
    reply: PushKeyView,
    handle: () => notices.pushKey(),
  });

  route('notices', 'PUT /v1/notices/quiet-hours', {
    name: 'setQuietHours',
    description: 'In your own time zone. What is due in them is sent when they are over.',
    examples: { night: { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' } }, none: {} },
    summary: 'When you are not notified, except of what is urgent; without a body, never',
    scopes: READERS,
    body: SetQuietHours,
    reply: z.object({ quiet_hours: QuietHours.optional() }),
    change: ({ body, actor, key }) => notices.setQuietHours(body.quiet_hours, actor, key),
  });

  route('notices', 'POST /v1/notices/test', {
    name: 'testNotices',
    examples: { self: {} },
    summary: 'Send a test to a person or a webhook, and say what became of it',
    description: 'A viewer may test their own devices.',
    scopes: READERS,
    body: TestNotices,
    reply: TestResultView,
    // The key is checked like every other: a repeat is another test.
    handle: ({ body, actor, key: _ }) => notices.sendTest(actor.scope === 'operator' ? body.who : undefined, actor),
  });

  route('notices', 'GET /v1/notices/devices', {
    name: 'listDevices',
    description: 'Of everyone, with those that were lost. Their addresses are shown to nobody.',
    summary: 'Browsers that are notified',
    scopes: READERS,
    reply: z.array(DeviceView),
    handle: ({ actor }) => notices.listDevices(actor),
  });

  route('notices', 'POST /v1/notices/devices', {
    name: 'addDevice',
    examples: { phone: DEVICE },
    refuses: ['notice_target_refused', 'contacts_limit'],
    summary: 'Notify this browser from now on',
    description: 'With the subscription of its push service. The same browser again changes its settings.',
    scopes: READERS,
    body: AddDevice,
    reply: DeviceView,
    creates: true,
    change: ({ body, actor, key }) => notices.addDevice(body, actor, key),
  });

  route('notices', 'DELETE /v1/notices/devices/:device_id', {
    name: 'removeDevice',
    isKeyed: true,
    refuses: ['contact_not_found'],
    summary: 'Notify a browser no more',
    description: 'Your own; an operator those of others too.',
    scopes: READERS,
    reply: DeviceView,
    change: ({ params, actor, key }) => notices.removeDevice(params.device_id, actor, key),
  });
};
