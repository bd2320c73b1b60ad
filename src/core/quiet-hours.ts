// Defines quiet hours: a time of the day, in a person's time zone, in which notices wait. Pure: the instant comes from the
// caller, the calendar from Intl.
import { z } from 'zod';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

export const QuietHours = z
  .strictObject({
    from: clockTime,
    to: clockTime,
    time_zone: z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  })
  .refine(({ from, to }) => from !== to, 'must end at another time than they begin');
export type QuietHours = z.infer<typeof QuietHours>;

/** The instant itself, or the end of the quiet hours that it is in. */
export function afterQuietHours(at: number, hours: QuietHours | undefined): number {
  if (!hours) return at;
  const now = minuteOfDay(at, hours.time_zone);
  const from = minutesOf(hours.from);
  const to = minutesOf(hours.to);
  const sinceStart = (now - from + DAY_MINUTES) % DAY_MINUTES;
  const length = (to - from + DAY_MINUTES) % DAY_MINUTES;
  if (sinceStart >= length) return at;
  const isQuiet = (instant: number) =>
    (minuteOfDay(instant, hours.time_zone) - from + DAY_MINUTES) % DAY_MINUTES < length;
  const end = at - (at % MINUTE_MS) + (length - sinceStart) * MINUTE_MS;
  // Where clocks are put forward or back in between, that is not yet what the clock says at the end.
  const off = ((to - minuteOfDay(end, hours.time_zone) + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
  const exact = end + off * MINUTE_MS;
  // An end that no clock shows on that day, because it is skipped: never earlier than the person said.
  return isQuiet(exact) ? end : exact;
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

function minuteOfDay(at: number, timeZone: string): number {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return minutesOf(new Intl.DateTimeFormat('en-GB', options).format(at));
}

function isTimeZone(name: string): boolean {
  try {
    minuteOfDay(0, name);
    return true;
  } catch {
    return false;
  }
}
