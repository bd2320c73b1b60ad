// Which rows of the inbox are drawn, and where.
import { expect, it } from 'vitest';
import { endedWithin, HEADING_PX, layOut, movedBy, ROW_PX, rowsWithin } from '../../../web/src/state/list-rows.ts';
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

it('counts those that wait above a section, and not those that have ended and are still listed', () => {
  const ended = { ...entry(approval()), settledAtMs: 1 };
  const counts = (...sections: ReturnType<typeof entries>[]) =>
    layOut(sections.map((members) => ({ title: 'x', entries: members }))).rows.flatMap((row) =>
      'heading' in row ? [row.count] : [],
    );
  expect(counts([ended], [...entries(3), ended, ...entries(1)])).toEqual([0, 4]);
});

it('draws few rows of ten thousand, and those in view among them', () => {
  const layout = layOut([{ title: '', entries: entries(10_000) }]);
  const drawn = rowsWithin(layout, 5000 * ROW_PX, 600);
  expect(drawn.length).toBeLessThan(30);
  for (const at of [5000, 5001, 5007]) expect(drawn).toContain(layout.rows[at]);
  expect(rowsWithin(layOut([]), 0, 600)).toEqual([]);
});

it('knows how far the first request in view moved when others came or went above it', () => {
  const all = entries(20);
  const before = layOut([{ title: '', entries: all }]);
  const after = (left: typeof all) => movedBy(before, layOut([{ title: '', entries: left }]), 10 * ROW_PX);
  expect(after(all.toSpliced(3, 2))).toBe(-2 * ROW_PX);
  expect(after([...entries(1), ...all])).toBe(ROW_PX);
  expect(after(all.toSpliced(15, 1))).toBe(0);
  // The first one in view is gone: the next one counts.
  expect(after(all.toSpliced(10, 1))).toBe(-ROW_PX);
  expect(after([])).toBe(0);
});

it('keeps the ended requests in view while others wait', () => {
  const [open, ended, later] = [entry(approval()), { ...entry(approval()), settledAtMs: 1 }, entry(approval())];
  const ids = (rows: ReturnType<typeof entries>, topPx: number) => [
    ...endedWithin(layOut([{ title: '', entries: rows }]), topPx, ROW_PX),
  ];
  expect(ids([open, ended, later], ROW_PX)).toEqual([ended.ask.ask_id]);
  expect(ids([open, later, ended], 0)).toEqual([]);
  expect(ids([ended], 0)).toEqual([]);
});
