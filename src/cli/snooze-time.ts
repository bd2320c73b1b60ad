// Reads how long a person snoozes a request: `30m`, `2h`, `3d`, at most 31 days. Pure; undefined for anything else.
import { LONGEST_SNOOZE_MS } from '../core/activity.ts';

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const SNOOZE_TIMES = '30m, 2h, 3d';

export function snoozedUntil(time: string, nowMs: number): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(time.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  return ms <= LONGEST_SNOOZE_MS ? nowMs + ms : undefined;
}
