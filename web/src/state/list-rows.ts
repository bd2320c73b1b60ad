// Lays out the rows of the inbox: a heading above each section that has a title, then its requests. Pure. Positions are
// sums of heights, so that only the rows in view need to be drawn.
import { type InboxEntry, isOpen } from '../../../src/client/inbox-model.ts';
import type { Section } from '../../../src/client/triage.ts';

export type ListRow =
  /** `count`: of those that wait. */
  | { topPx: number; heading: string; count: number }
  /** `place`: among the requests, from 0. */
  | { topPx: number; entry: InboxEntry; place: number };

export interface ListLayout {
  rows: readonly ListRow[];
  heightPx: number;
}

export const ROW_PX = 70;
export const HEADING_PX = 30;

export function layOut(sections: readonly Section[]): ListLayout {
  const rows: ListRow[] = [];
  let topPx = 0;
  let place = 0;
  for (const { title, entries } of sections) {
    if (title !== '') {
      rows.push({ topPx, heading: title, count: entries.filter(isOpen).length });
      topPx += HEADING_PX;
    }
    for (const entry of entries) {
      rows.push({ topPx, entry, place });
      topPx += ROW_PX;
      place += 1;
    }
  }
  return { rows, heightPx: topPx };
}

/** Drawn beyond each edge, so that scrolling shows no gap. */
const OVERSCAN_PX = 6 * ROW_PX;

/** The rows between two heights. */
export function rowsWithin({ rows }: ListLayout, topPx: number, heightPx: number): readonly ListRow[] {
  return rows.slice(firstFrom(rows, topPx - OVERSCAN_PX), firstFrom(rows, topPx + heightPx + OVERSCAN_PX));
}

/** The ended requests among the rows between two heights, while others wait: if they left, those would move. */
export function endedWithin({ rows }: ListLayout, topPx: number, heightPx: number): ReadonlySet<string> {
  const asks = rows.filter((row) => 'entry' in row);
  const isInView = (row: ListRow) => row.topPx + ROW_PX > topPx && row.topPx < topPx + heightPx;
  const ended = asks.filter((row) => !isOpen(row.entry) && isInView(row)).map(({ entry }) => entry.ask.ask_id);
  return new Set(asks.length > ended.length ? ended : []);
}

/** How far the first request in view that is in both layouts has moved from one to the other. */
export function movedBy(before: ListLayout, after: ListLayout, topPx: number): number {
  const places = new Map(after.rows.flatMap((row) => ('entry' in row ? [[row.entry.ask.ask_id, row.topPx]] : [])));
  for (const row of before.rows.slice(firstFrom(before.rows, topPx))) {
    const place = 'entry' in row ? places.get(row.entry.ask.ask_id) : undefined;
    if (place !== undefined) return place - row.topPx;
  }
  return 0;
}

/** The index of the first row at or below a height, by halving. */
function firstFrom(rows: readonly ListRow[], px: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.topPx ?? 0) < px) low = middle + 1;
    else high = middle;
  }
  return low;
}
