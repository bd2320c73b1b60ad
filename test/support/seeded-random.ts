// Random choices that can be repeated: everything follows from one printed seed (set HOLDPOINT_SEED to use it again).

export interface Random {
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** An independent sequence, so that what one loop draws does not depend on how fast another one is. */
  fork(name: string): Random;
}

/** Prints the seed, so that a failure can be repeated. */
export function seeded(what: string): Random {
  const seed = process.env.HOLDPOINT_SEED ?? String(Math.floor(Math.random() * 2 ** 32));
  console.log(`${what}: HOLDPOINT_SEED=${seed}`);
  return randomOf(`${what}/${seed}`);
}

export function randomOf(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    int,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]) => items[int(0, items.length - 1)] as T,
    fork: (name) => randomOf(`${seed}/${name}`),
  };
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash;
}
