// Reads how long a person snoozes a request: `30m`, `2h`, `3d`. Pure; undefined for anything else.
const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const SNOOZE_TIMES = '30m, 2h, 3d';

export function snoozedUntil(time: string, nowMs: number): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhd])$/.exec(time.trim()) ?? [];
  return count === undefined ? undefined : nowMs + Number(count) * (UNITS[unit] ?? 0);
}
