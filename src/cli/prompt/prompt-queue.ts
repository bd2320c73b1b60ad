// The order of what a person reads while they are asked: one ask at a time, and what happens meanwhile in between. Owns the
// turns; what is asked and printed is for the caller.
import type { Line } from '../text/spans.ts';

/** Lines wait while the person is being asked, one ask at a time, and follow before the next one is. */
export function heldLines(print: (line: Line) => void) {
  const lines: Line[] = [];
  const asks: (() => Promise<void> | undefined)[] = [];
  let asking: Promise<void> | undefined;

  function goOn(): void {
    while (!asking) {
      for (const of of lines.splice(0)) print(of);
      const ask = asks.shift();
      if (!ask) return;
      asking = ask()?.finally(() => {
        asking = undefined;
        goOn();
      });
    }
  }

  return {
    add(...more: Line[]): void {
      lines.push(...more);
      goOn();
    },
    /** Shows it when its turn has come, and asks: nobody is asked about what they cannot see. */
    ask(ask: () => Promise<void> | undefined): void {
      asks.push(ask);
      goOn();
    },
    isAsking: () => asking !== undefined,
    /** Until nobody is being asked, and all that waited has been shown. */
    async end(): Promise<void> {
      while (asking) await asking;
    },
  };
}
