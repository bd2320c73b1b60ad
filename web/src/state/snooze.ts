// Lists until when a request can be snoozed, by the clock of the person. Pure.

const HOUR_MS = 3_600_000;

export function snoozeChoices(now: Date): [label: string, untilMs: number][] {
  const nextAt = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).getTime();
  const evening = nextAt(0, 18);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    ['1 hour', now.getTime() + HOUR_MS],
    ['3 hours', now.getTime() + 3 * HOUR_MS],
    ...(evening - now.getTime() > 3 * HOUR_MS ? [['This evening', evening] as [string, number]] : []),
    ['Tomorrow', nextAt(1, 9)],
    ['Monday', nextAt(toMonday, 9)],
  ];
}

/** `14:05`, or with the day where that is another. */
export function untilText(atMs: number, now = new Date()): string {
  const at = new Date(atMs);
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const isToday = at.toDateString() === now.toDateString();
  return isToday ? time : `${at.toLocaleDateString([], { weekday: 'short' })} ${time}`;
}
