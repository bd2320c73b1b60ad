// Looks at the notifications that a service worker shows, and presses them.
import type { CDPSession, Worker } from 'playwright-core';

export interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

/**
 * Counts what is shown from now on. Wait for the count before looking at what is shown: a look while a notification appears
 * makes Chromium forget that notification.
 */
export const countShown = (worker: Worker): Promise<void> => worker.evaluate(count);
export const shownCount = (worker: Worker): Promise<number> =>
  worker.evaluate(() => (self as unknown as { shown: number }).shown);

/** Runs in the service worker. */
function count(): void {
  const counter = Object.assign(self, { shown: 0 });
  const show = ServiceWorkerRegistration.prototype.showNotification;
  ServiceWorkerRegistration.prototype.showNotification = async function (...call) {
    await show.apply(this, call);
    counter.shown += 1;
  };
}

export async function registrationOf(devtools: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  return found;
}

export const shownBy = (worker: Worker): Promise<ShownNotification[]> =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const shown = (await registration.getNotifications()) as (Notification & { actions: { action: string }[] })[];
    return shown.map(({ title, body, tag, actions }) => ({
      title,
      body,
      tag,
      actions: actions.map(({ action }) => action),
    }));
  });

/** The handler runs as it is; only the browser's own event cannot be made, whose `waitUntil` it would call. */
export const press = (worker: Worker, tag: string, rounds: string[][]): Promise<void> =>
  worker.evaluate(
    async ([wanted, presses]) => {
      const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
      const [notification] = await registration.getNotifications({ tag: wanted });
      for (const actions of presses) {
        const work: Promise<unknown>[] = [];
        const waitUntil = (promise: Promise<unknown>) => void work.push(promise);
        for (const action of actions)
          self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, action, waitUntil }));
        // A window is focused only for a real press.
        await Promise.allSettled(work);
      }
    },
    [tag, rounds] as const,
  );
