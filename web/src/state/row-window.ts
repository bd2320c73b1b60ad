// Computes which rows of a long list are in view. Pure. All rows have one height, so the cost does not depend on their
// number.

/** Rendered beyond each edge, so that scrolling shows no gap. */
const OVERSCAN = 6;

export interface RowWindow {
  from: number;
  to: number;
}

export const rowsWithin = (topPx: number, heightPx: number, rowPx: number, count: number): RowWindow => ({
  from: Math.max(0, Math.floor(topPx / rowPx) - OVERSCAN),
  to: Math.min(count, Math.ceil((topPx + heightPx) / rowPx) + OVERSCAN),
});
