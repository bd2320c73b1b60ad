// Shows desktop notifications for asks that arrive while the person is elsewhere, also with the page in view. Off until the
// person switches them on, after which the browser asks for permission. A notification opens the ask; it decides nothing.
import { useSyncExternalStore } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { heading, summary } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';

const STORAGE_KEY = 'holdpoint-notify';
const MAX_BODY_CHARACTERS = 160;
const MAX_AT_ONCE = 3;

export type NotificationState = 'unsupported' | 'off' | 'on' | 'blocked';

const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useNotificationState = (): NotificationState => useSyncExternalStore(subscribe, notificationState);

function notificationState(): NotificationState {
  if (typeof Notification === 'undefined') return 'unsupported';
  if (localStorage.getItem(STORAGE_KEY) !== 'on') return 'off';
  const { permission } = Notification;
  // A prompt that was closed without a choice leaves them off; it can be shown again.
  return permission === 'granted' ? 'on' : permission === 'denied' ? 'blocked' : 'off';
}

/**
 * Call it from a click handler: browsers prompt for permission only then. Resolves to why this browser is not notified
 * while the page is closed; undefined where it is, or is not to be.
 */
export async function switchNotifications(isOn: boolean): Promise<string | undefined> {
  localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
  if (isOn && Notification.permission === 'default') await Notification.requestPermission();
  for (const listener of listeners) listener();
  const { subscribeToPush, unsubscribeFromPush } = await import('./push.ts');
  const change = notificationState() === 'on' ? subscribeToPush() : unsubscribeFromPush();
  return change.then(() => undefined, failureText);
}

export function notifyOf(asks: readonly AskView[]): void {
  if (document.hasFocus() || notificationState() !== 'on') return;
  if (asks.length > MAX_AT_ONCE)
    return void show(`${asks.length} new requests`, 'They are waiting in the inbox.', '/', 'inbox');
  for (const { ask_id, request } of asks)
    void show(heading(request), summary(request).slice(0, MAX_BODY_CHARACTERS), `/asks/${ask_id}`, ask_id);
}

async function show(title: string, body: string, address: string, tag: string): Promise<void> {
  const options = { body, tag, icon: '/icon-192.png', data: { address } };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification(title, options);
  const notification = new Notification(title, options);
  notification.onclick = () => {
    window.focus();
    location.assign(address);
  };
}

/** Closes the notification of an ask that has ended. */
export async function closeNotification(askId: string): Promise<void> {
  if (notificationState() !== 'on') return;
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const notification of (await worker?.getNotifications({ tag: askId })) ?? []) notification.close();
}
