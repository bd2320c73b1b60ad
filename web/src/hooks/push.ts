// Subscribes this browser to push messages and tells the server, or takes both back. Without a push service, such as in a
// browser that has none, notifications still appear while the page is open (notifications.ts).
import type { DeviceView } from '../../../src/core/notice-views.ts';
import { api } from '../api.ts';

const DEVICE_KEY = 'holdpoint-device';
/** The sign-in with which this browser became that device. */
const SIGN_IN_KEY = 'holdpoint-device-sign-in';
/** Some browsers without a push service never settle a subscription. */
const PATIENCE_MS = 10_000;

/** The device of this browser, as the server knows it. */
export const ownDeviceId = (): string | undefined => localStorage.getItem(DEVICE_KEY) ?? undefined;

let signIn = '';
let before: Promise<unknown> = Promise.resolve();

/** One after the other: a renewal that ends after switching off would switch on again. */
function inTurn<T>(change: () => Promise<T>): Promise<T> {
  const changed = before.then(change);
  before = changed.catch(() => {});
  return changed;
}

/** Throws with a reason for people where this browser cannot be reached while the page is closed. */
export const subscribeToPush = (allowAction?: boolean): Promise<DeviceView> => inTurn(() => subscribe(allowAction));

export const unsubscribeFromPush = (): Promise<void> => inTurn(unsubscribe);

/** After a sign-in this browser is notified as the person who is signed in now. */
export const renewPush = (tokenId: string): Promise<void> => {
  signIn = tokenId;
  return inTurn(renew);
};

async function subscribe(allowAction?: boolean): Promise<DeviceView> {
  const worker = await registration();
  if (!worker) throw new Error('Push needs a page with TLS, or the machine that the server runs on');
  const { public_key } = await api.notices.pushKey();
  const { endpoint, keys } = (await subscriptionOf(worker, public_key)).toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error('The browser gave a subscription without keys');
  const device = await api.notices.addDevice({
    subscription: { endpoint, keys: { p256dh, auth } },
    label: deviceLabel(navigator.userAgent),
    ...(allowAction !== undefined && { allow_action: allowAction }),
  });
  localStorage.setItem(DEVICE_KEY, device.device_id);
  localStorage.setItem(SIGN_IN_KEY, signIn);
  await keepCsrf();
  return device;
}

function subscriptionOf({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  let isLate = false;
  const subscribing = freshSubscription(pushManager, key);
  // The person was told that it failed, and the server knows nothing of it.
  subscribing.then(
    (subscription) => isLate && ownDeviceId() === undefined && subscription.unsubscribe(),
    () => {},
  );
  return inTime(subscribing, () => {
    isLate = true;
  });
}

/** One for the keys of an earlier server at this address is replaced: browsers keep it and subscribe to no other beside it. */
async function freshSubscription(pushManager: PushManager, key: string): Promise<PushSubscription> {
  const earlier = await pushManager.getSubscription();
  if (earlier && base64urlOf(earlier.options.applicationServerKey) !== key) await earlier.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

const base64urlOf = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const NO_REPLY =
  'The browser’s push service did not reply. A network, a firewall or a privacy setting may block it: try again later, or on another network';

function inTime<T>(reply: Promise<T>, onLate = () => {}): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onLate();
    reject(new Error(NO_REPLY));
  }, PATIENCE_MS);
  return Promise.race([reply, late]).finally(() => clearTimeout(timer));
}

async function unsubscribe(): Promise<void> {
  const id = ownDeviceId();
  localStorage.removeItem(DEVICE_KEY);
  if ('caches' in window) await caches.delete('holdpoint-sign-in');
  if (id !== undefined) await api.notices.removeDevice(id).catch(() => {});
  const worker = await registration();
  // The server sends nothing any more, whether the push service hears of it or not.
  if (worker) await inTime(worker.pushManager.getSubscription().then((own) => own?.unsubscribe())).catch(() => {});
}

const registration = async (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator && 'PushManager' in window ? navigator.serviceWorker.getRegistration() : undefined;

async function renew(): Promise<void> {
  const id = ownDeviceId();
  if (id === undefined) return;
  // Removed by a person, elsewhere: a device that was lost is still listed, and one of an earlier sign-in is renewed.
  const isOfThisSignIn = localStorage.getItem(SIGN_IN_KEY) === signIn;
  if (isOfThisSignIn && (await api.notices.devices()).every(({ device_id }) => device_id !== id)) return unsubscribe();
  await keepCsrf();
  await subscribe();
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

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac OS/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const;

/** "Chrome on Android". */
export function deviceLabel(agent: string): string {
  const named = (names: readonly (readonly [RegExp, string])[]) => names.find(([pattern]) => pattern.test(agent))?.[1];
  return `${named(BROWSERS) ?? 'Browser'} on ${named(SYSTEMS) ?? 'a device'}`;
}
