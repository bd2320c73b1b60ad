// Numbers over rounds: what was measured in turn is compared within its round, so that whatever else the machine was
// doing weighs on both sides of a ratio. Medians throughout.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of each round's own ratio. */
export const ratioOf = (values: readonly number[], base: readonly number[]): number =>
  median(values.map((value, round) => value / (base[round] ?? Number.NaN)));

/** Forwards and backwards in turn, so that nobody is always first. */
export const inTurn = <T>(items: readonly T[], round: number): T[] =>
  round % 2 === 0 ? [...items] : [...items].reverse();

export const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits));
