// Tests the ticks of an axis of durations.
import { expect, it } from 'vitest';
import { duration } from '../../../src/client/times.ts';
import { axisTicks } from '../../../web/src/text/axis-ticks.ts';

it.each([
  [10_000, 2, ['0s', '1s', '4s', '9s', '16s']],
  [3_000_000, 2, ['0s', '5m', '20m', '45m', '1h 20m']],
  [5_000_000, 1, ['0s', '30m', '1h', '1h 30m', '2h']],
  [30 * 86_400_000, 1, ['0s', '8d', '16d', '24d', '32d']],
] as const)('of %i ms with the power %i are %j', (maxMs, power, texts) => {
  expect(axisTicks(maxMs, power).map((ms) => duration(ms))).toEqual(texts);
});
