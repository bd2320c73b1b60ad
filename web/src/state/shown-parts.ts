// Divides a long text into parts of about one line, of which each has to be on the screen before the text counts as shown.
// Pure: what is on the screen is known to hooks/sighting.ts.

const PART_PX = 20;

/** The last part takes what is left over. */
export const partCount = (heightPx: number): number => Math.max(1, Math.floor(heightPx / PART_PX));

export const topOf = (part: number): number => part * PART_PX;

/** Where a part is looked for. */
export const middleOf = (part: number, heightPx: number): number =>
  (topOf(part) + (part === partCount(heightPx) - 1 ? heightPx : topOf(part + 1))) / 2;

/** The parts that may be between two heights. */
export function partsBetween(heightPx: number, fromPx: number, toPx: number): number[] {
  const first = Math.max(0, Math.floor(fromPx / PART_PX) - 1);
  const last = Math.min(partCount(heightPx) - 1, Math.ceil(toPx / PART_PX));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

interface Shown {
  heightPx: number;
  shown: ReadonlySet<number>;
}

export function firstUnshown({ heightPx, shown }: Shown): number | undefined {
  if (shown.size === partCount(heightPx)) return undefined;
  for (let part = 0; part < partCount(heightPx); part++) if (!shown.has(part)) return part;
  return undefined;
}

/** Of all texts together, in percent: 100 only where nothing is left. */
export function percentShown(texts: readonly Shown[]): number {
  const all = texts.reduce((sum, { heightPx }) => sum + partCount(heightPx), 0);
  const shown = texts.reduce((sum, text) => sum + text.shown.size, 0);
  return all === 0 ? 100 : Math.floor((100 * shown) / all);
}
