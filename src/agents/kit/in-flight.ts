// Tracks promises in flight, so that a caller can wait until none is left. Their errors belong to the caller that added them.

export function createInFlight() {
  const inFlight = new Set<Promise<void>>();
  return {
    add(work: Promise<unknown>): void {
      const ended: Promise<void> = work.catch(() => {}).then(() => void inFlight.delete(ended));
      inFlight.add(ended);
    },
    /** Resolves when nothing is in flight, including what was added meanwhile. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
