// Matches labels of sessions and workers: a session names the labels it needs, a worker those it has. The rule is equality
// of texts, so that an index finds the runs of a worker.
import { z } from 'zod';

/** A worker with n labels serves 2^n - 1 sets of them: a bound on the index look-ups of one claim. */
export const MAX_LABELS = 8;

const Label = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:=/-]{0,63}$/, 'use 1 to 64 letters, digits or . _ : = / -, such as gpu or os=linux');

export const Labels = z.array(Label).max(MAX_LABELS);

/** Sorted and unique, so that the same labels are the same list. */
export const inOrder = (labels: readonly string[]): string[] => [...new Set(labels)].sort();

export const labelKey = (labels: readonly string[]): string => labels.join(' ');

/**
 * The label sets that a worker serves. With labels it takes only work that names some of them and no other; without any
 * it takes work that names none.
 */
export function servedKeys(labels: readonly string[]): string[] {
  if (labels.length === 0) return [''];
  let sets: string[][] = [[]];
  for (const label of inOrder(labels)) sets = [...sets, ...sets.map((set) => [...set, label])];
  return sets.slice(1).map(labelKey);
}

/** Whether a worker with these labels takes work with those needs. */
export const isServed = (needed: readonly string[], labels: readonly string[]): boolean =>
  servedKeys(labels).includes(labelKey(inOrder(needed)));
