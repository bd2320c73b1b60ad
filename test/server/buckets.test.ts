// Token buckets: refill with time, overdraw, and a bounded number of them.
import { expect, it } from 'vitest';
import { Buckets } from '../../src/server/buckets.ts';

it('gives one for each refill, however often it is asked in between', () => {
  const buckets = new Buckets();
  const taken = Array.from({ length: 1000 }, (_, ms) => buckets.take('a', ms, 10, 5)).filter(Boolean);
  expect(taken).toHaveLength(5 + 9);
});

it('is overdrawn by what is larger than the burst, and refuses until that is made up for', () => {
  const buckets = new Buckets();
  buckets.draw('a', 100, 0, 10, 20);
  expect(buckets.left('a', 0, 10, 20)).toBe(-80);
  expect(buckets.left('a', 8100, 10, 20)).toBe(1);
  expect(buckets.left('b', 0, 10, 20)).toBe(20);
});

it('finding 25: keeps no bucket that is full again, and at most ten thousand', () => {
  const buckets = new Buckets();
  for (let n = 0; n < 9000; n++) buckets.take(`early-${n}`, 0, 1, 5);
  for (let n = 0; n < 5000; n++) buckets.take(`late-${n}`, 60_000, 1, 5);
  expect(buckets.size).toBe(5000);
  for (let n = 0; n < 20_000; n++) buckets.take(`many-${n}`, 60_000, 1, 5);
  expect(buckets.size).toBe(10_000);
});
