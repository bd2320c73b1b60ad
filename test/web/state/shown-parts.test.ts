// Tests which parts a long text has, where each is looked for, and how much of all is left.
import { expect, it } from 'vitest';
import {
  firstUnshown,
  middleOf,
  partCount,
  partsBetween,
  percentShown,
  topOf,
} from '../../../web/src/state/shown-parts.ts';

const text = (heightPx: number, ...shown: number[]) => ({ heightPx, shown: new Set(shown) });

it('divides a text into parts, of which the last takes what is left over', () => {
  expect([0, 5, 20, 39, 40, 1000].map(partCount)).toEqual([1, 1, 1, 1, 2, 50]);
  expect([middleOf(0, 100), middleOf(4, 100), middleOf(1, 59)]).toEqual([10, 90, 39.5]);
  expect(topOf(3)).toBe(60);
});

it('looks for every part that is between two heights, and for none beyond the text', () => {
  expect(partsBetween(200, 0, 200)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(partsBetween(2000, 400, 500)).toEqual([19, 20, 21, 22, 23, 24, 25]);
  expect(partsBetween(200, 900, 1200)).toEqual([]);
  expect(partsBetween(200, -500, -100)).toEqual([]);
});

it('knows the first part that was not shown, also between others', () => {
  expect(firstUnshown(text(100))).toBe(0);
  expect(firstUnshown(text(100, 0, 1, 4))).toBe(2);
  expect(firstUnshown(text(100, 0, 1, 2, 3, 4))).toBeUndefined();
});

it('calls nothing shown to the end while a part of any text is missing', () => {
  expect(percentShown([])).toBe(100);
  expect(percentShown([text(100, 0, 1), text(100)])).toBe(20);
  const all = Array.from({ length: 999 }, (_, part) => part);
  expect(percentShown([text(20_000, ...all)])).toBe(99);
  expect(percentShown([text(20_000, ...all, 999)])).toBe(100);
});
