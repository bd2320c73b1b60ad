// Durations and countdowns as every list and view writes them.
import { expect, it } from 'vitest';
import { countdown, duration } from '../../src/client/times.ts';

it.each([
  [0, '0s'],
  [59_999, '59s'],
  [61_000, '1m 1s'],
  [600_000, '10m'],
  [7_500_000, '2h 5m'],
  [90_000_000, '1d 1h'],
  [-5, '0s'],
])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

it.each([
  [0, '0:00'],
  [900, '0:01'],
  [245_000, '4:05'],
  [3_600_000, '1h'],
])('writes %i ms until a deadline as %s', (ms, text) => expect(countdown(ms)).toBe(text));
