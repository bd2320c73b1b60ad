// Which rows of the inbox are drawn, and where.
import { expect, it } from 'vitest';
import { HEADING_PX, layOut, ROW_PX, rowsWithin } from '../../../web/src/state/list-rows.ts';
import { approval, entry } from '../../client/asks.ts';

const entries = (n: number) => Array.from({ length: n }, () => entry(approval()));

it('puts a heading above a section with a title, and numbers requests over all sections', () => {
  const { rows, heightPx } = layOut([
    { title: 'shop', entries: entries(2) },
    { title: 'docs', entries: entries(1) },
  ]);
  expect(rows.map((row) => ('heading' in row ? row.heading : row.place))).toEqual(['shop', 0, 1, 'docs', 2]);
  expect(heightPx).toBe(2 * HEADING_PX + 3 * ROW_PX);
});

it('draws few rows of ten thousand, and those in view among them', () => {
  const layout = layOut([{ title: '', entries: entries(10_000) }]);
  const drawn = rowsWithin(layout, 5000 * ROW_PX, 600);
  expect(drawn.length).toBeLessThan(30);
  for (const at of [5000, 5001, 5007]) expect(drawn).toContain(layout.rows[at]);
  expect(rowsWithin(layOut([]), 0, 600)).toEqual([]);
});
