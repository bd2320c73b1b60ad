// Sets by key, as the feed and the client's waits keep them.
import { expect, it } from 'vitest';
import { add, drop } from '../../src/core/sets.ts';

it('collects the values of a key and removes the key with its last value', () => {
  const sets = new Map<string, Set<number>>();
  add(sets, 'a', 1);
  add(sets, 'a', 2);
  add(sets, 'a', 2);
  add(sets, 'b', 3);
  expect(sets).toEqual(
    new Map([
      ['a', new Set([1, 2])],
      ['b', new Set([3])],
    ]),
  );
  drop(sets, 'a', 1);
  drop(sets, 'a', 9);
  drop(sets, 'unknown', 1);
  drop(sets, 'b', 3);
  expect(sets).toEqual(new Map([['a', new Set([2])]]));
});
