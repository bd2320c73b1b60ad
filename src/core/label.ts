// Labels say where work may run: a session names the labels it needs, a worker the ones it has. Owns the rule of who
// takes what, as equality of texts, so that an index finds the runs of a worker without looking at any other.
import { z } from 'zod';

/** A worker with n labels serves 2^n - 1 sets of them: a bound on what one look for work asks the index. */
export const MAX_LABELS = 8;

const Label = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:=/-]{0,63}$/, 'use 1 to 64 letters, digits or . _ : = / -, such as gpu or os=linux');

export const Labels = z.array(Label).max(MAX_LABELS);

/** In order and each once, so that the same labels are the same list. */
export const inOrder = (labels: readonly string[]): string[] => [...new Set(labels)].sort();

export const labelKey = (labels: readonly string[]): string => labels.join(' ');

/**
 * The needs that a worker with these labels covers. With labels it is kept for work that names some of them and no
 * other; without any it takes the work that names none.
 */
export function servedKeys(labels: readonly string[]): string[] {
  if (labels.length === 0) return [''];
  let sets: string[][] = [[]];
  for (const label of inOrder(labels)) sets = [...sets, ...sets.map((set) => [...set, label])];
  return sets.slice(1).map(labelKey);
}

/** Whether a worker with these labels takes work that needs those. */
export const isServed = (needed: readonly string[], labels: readonly string[]): boolean =>
  servedKeys(labels).includes(labelKey(inOrder(needed)));
