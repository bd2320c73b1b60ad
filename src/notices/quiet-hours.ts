// Sets a person's quiet hours. What waits for the end of those that they are in waits for the end of the new ones instead.
import type { Ports } from '../core/ports.ts';
import { afterQuietHours, type QuietHours } from '../core/quiet-hours.ts';
import type { Actor } from '../core/token.ts';
import { type Key, mutate, ok } from '../gateway/mutate.ts';

export const setQuietHours = (ports: Ports, hours: QuietHours | undefined, { person }: Actor, key?: Key) =>
  mutate(ports, key, async (tx) => {
    const now = ports.clock.now();
    const before = (await tx.quietHours()).find((one) => one.person === person)?.hours;
    const end = afterQuietHours(now, before);
    const waiting = end > now ? await tx.noticesDueAt(person, end) : [];
    const dueAt = afterQuietHours(now, hours);
    for (const notice of waiting) await tx.replaceNotice(notice, { ...notice, dueAt });
    if (hours) await tx.save('quietHours', { person, hours });
    else await tx.remove('quietHours', person);
    return ok(hours === undefined ? {} : { quiet_hours: hours });
  });
