// Which rows of a long list are on the screen: pure. All rows are of one height, so it is a division: five thousand cost
// what twenty cost.

/** Drawn beyond the edges, so that a scroll does not show a gap first. */
const AHEAD = 6;

export interface RowWindow {
  from: number;
  to: number;
}

export const rowsWithin = (topPx: number, heightPx: number, rowPx: number, count: number): RowWindow => ({
  from: Math.max(0, Math.floor(topPx / rowPx) - AHEAD),
  to: Math.min(count, Math.ceil((topPx + heightPx) / rowPx) + AHEAD),
});
