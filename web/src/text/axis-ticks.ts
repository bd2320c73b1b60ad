// Chooses where an axis of durations has its ticks: evenly spaced, at values that people read as round. Pure.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ROUND = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];
const TICKS = 4;

/** From zero to at least `maxMs`. `power`: of the axis; on a square-root axis the squares are evenly spaced. */
export function axisTicks(maxMs: number, power: 1 | 2 = 1): number[] {
  const top = TICKS ** power;
  const unit = ROUND.find((each) => each * top >= maxMs) ?? Math.ceil(maxMs / top / DAY) * DAY;
  return Array.from({ length: TICKS + 1 }, (_, i) => i ** power * unit);
}
