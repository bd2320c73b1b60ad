// Tests which rows of a long list are rendered.
import { expect, it } from 'vitest';
import { rowsWithin } from '../../../web/src/state/row-window.ts';

it('renders the rows in view and a few beyond the edges', () => {
  expect(rowsWithin(0, 740, 74, 5000)).toEqual({ from: 0, to: 16 });
  expect(rowsWithin(74_000, 740, 74, 5000)).toEqual({ from: 994, to: 1016 });
  expect(rowsWithin(370_000, 740, 74, 5000)).toEqual({ from: 4994, to: 5000 });
  expect(rowsWithin(0, 0, 74, 0)).toEqual({ from: 0, to: 0 });
});
