// Tracks promises in flight, so that a caller can wait until none is left. Their errors belong to the caller that added them.
export interface InFlight {
  add(work: Promise<unknown>): void;
  /** Resolves when nothing is in flight, including what was added meanwhile. */
  settled(): Promise<void>;
}

export function createInFlight(): InFlight {
  const inFlight = new Set<Promise<void>>();
  return {
    add(work) {
      const ended: Promise<void> = work.catch(() => {}).then(() => void inFlight.delete(ended));
      inFlight.add(ended);
    },
    async settled() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
