// Lays out the rows of the inbox: a heading above each section that has a title, then its requests. Pure. Positions are
// sums of heights, so that only the rows in view need to be drawn.
import type { InboxEntry } from '../../../src/client/inbox-model.ts';
import type { Section } from '../../../src/client/triage.ts';

export type ListRow =
  | { topPx: number; heading: string; count: number }
  /** `place`: among the requests, from 0. */
  | { topPx: number; entry: InboxEntry; place: number };

export interface ListLayout {
  rows: readonly ListRow[];
  heightPx: number;
}

export const ROW_PX = 64;
export const HEADING_PX = 30;

export function layOut(sections: readonly Section[]): ListLayout {
  const rows: ListRow[] = [];
  let topPx = 0;
  let place = 0;
  for (const { title, entries } of sections) {
    if (title !== '') {
      rows.push({ topPx, heading: title, count: entries.length });
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
