// Subscribes this browser to push messages and tells the server, or takes both back. Without a push service, such as in a
// browser that has none, notifications still appear while the page is open (notifications.ts).
import type { DeviceView } from '../../../src/core/notice-views.ts';
import { api } from '../api.ts';

const DEVICE_KEY = 'holdpoint-device';

/** The device of this browser, as the server knows it. */
export const ownDeviceId = (): string | undefined => localStorage.getItem(DEVICE_KEY) ?? undefined;

export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window;

/** Undefined: this browser cannot be reached while the page is closed. */
export async function subscribeToPush(allowAction?: boolean): Promise<DeviceView | undefined> {
  const worker = canPush() ? await navigator.serviceWorker.getRegistration() : undefined;
  if (!worker) return undefined;
  const { public_key } = await api.notices.pushKey();
  const subscription = await worker.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
    .catch(() => undefined);
  const { endpoint, keys } = subscription?.toJSON() ?? {};
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined) return undefined;
  const device = await api.notices.addDevice({
    subscription: { endpoint, keys: { p256dh, auth } },
    label: deviceLabel(navigator.userAgent),
    ...(allowAction !== undefined && { allow_action: allowAction }),
  });
  localStorage.setItem(DEVICE_KEY, device.device_id);
  await keepCsrf();
  return device;
}

export async function unsubscribeFromPush(): Promise<void> {
  const id = ownDeviceId();
  localStorage.removeItem(DEVICE_KEY);
  if ('caches' in window) await caches.delete('holdpoint-sign-in');
  const worker = canPush() ? await navigator.serviceWorker.getRegistration() : undefined;
  const subscription = await worker?.pushManager.getSubscription();
  await subscription?.unsubscribe();
  if (id !== undefined) await api.notices.removeDevice(id).catch(() => {});
}

/** After a sign-in this browser is notified as the person who is signed in now. */
export async function renewPush(): Promise<void> {
  if (ownDeviceId() === undefined) return;
  await keepCsrf();
  await subscribeToPush();
}

/**
 * Keeps the CSRF value for the service worker, which decides with it as this person and cannot read the cookie in every
 * browser.
 */
async function keepCsrf(): Promise<void> {
  const value = /(?:^|; )holdpoint_csrf=([^;]*)/.exec(document.cookie)?.[1];
  if (value === undefined || !('caches' in window)) return;
  const cache = await caches.open('holdpoint-sign-in');
  await cache.put('/csrf', new Response(decodeURIComponent(value)));
}

/** "Chrome on Android". */
export function deviceLabel(agent: string): string {
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrom(?:e|ium)\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : 'Browser';
  const system = /iPhone/.test(agent)
    ? 'iPhone'
    : /iPad/.test(agent)
      ? 'iPad'
      : /Android/.test(agent)
        ? 'Android'
        : /Mac OS/.test(agent)
          ? 'Mac'
          : /Windows/.test(agent)
            ? 'Windows'
            : /Linux/.test(agent)
              ? 'Linux'
              : 'a device';
  return `${browser} on ${system}`;
}
