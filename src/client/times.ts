// Formats instants and durations in few letters, the same in every list and view.

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** `45s`, `3m`, `2h 5m`, `4d`: two units at most, the second one only while it matters. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  for (const [i, [unit, size]] of UNITS.entries()) {
    if (left < size && unit !== 's') continue;
    const whole = Math.floor(left / size);
    const [smaller, smallerSize] = UNITS[i + 1] ?? ['', 0];
    const rest = smallerSize > 0 && whole < 10 ? Math.floor((left % size) / smallerSize) : 0;
    return rest > 0 ? `${whole}${unit} ${rest}${smaller}` : `${whole}${unit}`;
  }
  return '0s';
}

/** To the second, for a deadline that is near: `4:05`. Farther away it is a duration. */
export function countdown(ms: number): string {
  const seconds = Math.ceil(Math.max(0, ms) / 1000);
  if (seconds >= 3600) return duration(seconds * 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `14:02`, in the person's own time zone. */
export const timeOfDay = (atMs: number): string => instant(atMs).slice(11, 16);

/** In the person's own time zone, with the date, and sortable. */
export function instant(atMs: number): string {
  const at = new Date(atMs);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
