// Ctrl-C, and being ended otherwise. One press may come twice, from the terminal and from the launcher: the second is the
// first again, also once everything is on its way out. Owns the signals; what leaving means is for the command.
import { EXIT } from './exit-codes.ts';

/** Longer than a launcher takes to pass a signal on, shorter than a person takes to press again because nothing happens. */
const SAME_PRESS_MS = 1000;
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

/** Returns what stops the listening, unless the person has left: then the command only has to say so. */
export function onLeave(leave: () => void, signals = SIGNALS): () => void {
  let leftAtMs: number | undefined;
  const hear = () => {
    if (leftAtMs !== undefined && Date.now() - leftAtMs > SAME_PRESS_MS) process.exit(EXIT.aborted);
    if (leftAtMs !== undefined) return;
    leftAtMs = Date.now();
    leave();
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    if (leftAtMs === undefined) for (const signal of signals) process.removeListener(signal, hear);
  };
}

/** For what serves until it is ended: it drains, for so long at most, and pressing again changes nothing. */
export function stopOnSignal(drain: () => Promise<void> | undefined, longestMs: number): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(EXIT.done), longestMs).unref();
    await drain();
    process.exit(EXIT.done);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
}
