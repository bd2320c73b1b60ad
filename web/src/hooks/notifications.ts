// Notifications of the desktop, for asks that arrive while nobody looks at the page. Off until the person switches them
// on here; the browser then asks too. They open the ask and decide nothing.
import { useSyncExternalStore } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { heading, summary } from '../text/ask-text.ts';

const CHOICE = 'holdpoint-notify';
const BODY_CHARACTERS = 160;
const MOST_AT_ONCE = 3;

export type Notifying = 'unsupported' | 'off' | 'on' | 'blocked';

const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useNotifying = (): Notifying => useSyncExternalStore(subscribe, notifying);

function notifying(): Notifying {
  if (typeof Notification === 'undefined') return 'unsupported';
  if (localStorage.getItem(CHOICE) !== 'on') return 'off';
  return Notification.permission === 'granted' ? 'on' : 'blocked';
}

/** Call it for a click: browsers ask the person only then. */
export async function setNotifying(wanted: boolean): Promise<Notifying> {
  localStorage.setItem(CHOICE, wanted ? 'on' : 'off');
  if (wanted && Notification.permission === 'default') await Notification.requestPermission();
  for (const listener of listeners) listener();
  return notifying();
}

export function notifyOf(asks: readonly AskView[]): void {
  if (!document.hidden || notifying() !== 'on') return;
  if (asks.length > MOST_AT_ONCE) return void show(`${asks.length} new asks`, 'They wait in the inbox.', '/', 'inbox');
  for (const { ask_id, request } of asks)
    void show(heading(request), summary(request).slice(0, BODY_CHARACTERS), `/asks/${ask_id}`, ask_id);
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

/** What has ended is no news any more. */
export async function withdrawNotice(askId: string): Promise<void> {
  if (notifying() !== 'on') return;
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const notice of (await worker?.getNotifications({ tag: askId })) ?? []) notice.close();
}
