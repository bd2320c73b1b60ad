// Marks the words that differ between a removed line and the line added in its place. Pure.
import { diffWordsWithSpace } from 'diff';
import type { DiffBlock, DiffLine } from './diff-lines.ts';
import { sideBySide } from './diff-lines.ts';

/** A range of a line's text. */
export type Marks = readonly (readonly [from: number, to: number])[];

/** Longer lines are not compared word by word. */
const MAX_LINE = 500;
const MAX_LINES = 2000;

/** The ranges that changed, by line. A pair that has nearly nothing in common has none: all of it changed. */
export function changedWords(blocks: readonly DiffBlock[]): ReadonlyMap<DiffLine, Marks> {
  const marks = new Map<DiffLine, Marks>();
  let room = MAX_LINES;
  for (const { lines } of blocks)
    for (const [left, right] of sideBySide(lines)) {
      if (left?.kind !== 'removed' || right?.kind !== 'added' || room-- <= 0) continue;
      const pair = compare(left.text, right.text);
      if (!pair) continue;
      marks.set(left, pair[0]);
      marks.set(right, pair[1]);
    }
  return marks;
}

function compare(before: string, after: string): [Marks, Marks] | undefined {
  if (before.length > MAX_LINE || after.length > MAX_LINE) return undefined;
  const sides: [[number, number][], [number, number][]] = [[], []];
  const at = [0, 0];
  let same = 0;
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    const { length } = value;
    if (!added && !removed) same += value.trim().length;
    for (const side of [0, 1] as const) {
      if (side === 0 ? added : removed) continue;
      const from = at[side] ?? 0;
      if (added || removed) sides[side].push([from, from + length]);
      at[side] = from + length;
    }
  }
  const shortest = Math.min(before.trim().length, after.trim().length);
  return same > 2 && same * 2 >= shortest ? sides : undefined;
}
