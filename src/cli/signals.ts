// Handles SIGINT and SIGTERM for commands that a person may leave or that drain before they end. Owns the signal handlers,
// which are installed before the command's first step; what an interruption means belongs to the command. The terminal
// and the launcher may both deliver the same Ctrl-C, so a second signal within a second is not a second press.
import { EXIT } from './exit-codes.ts';
import { left } from './failure.ts';

/** Longer than the launcher takes to forward a signal, shorter than a person waits before pressing again. */
const SAME_PRESS_MS = 1000;
/** Enough to write the last output. */
const LINGER_MS = 200;
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

export interface Interruption {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** The message for a person who leaves now. */
  message: string;
  /** The result of `work`, unless the signal comes first: for requests that change nothing. */
  or<T>(work: Promise<T>): Promise<T>;
}

/**
 * Runs a command that ends early on a signal. Whatever it throws afterwards is reported as leaving, with the message of
 * that moment; a command that returns normally has ended well. A later press exits at once.
 */
export async function interruptible<T>(
  message: string,
  work: (interruption: Interruption) => Promise<T>,
  signals = SIGNALS,
): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  const interruption: Interruption = { signal, message, or: (request) => Promise.race([request, aborted(signal)]) };
  let leftAtMs: number | undefined;
  const leave = () => {
    if (leftAtMs !== undefined && Date.now() - leftAtMs > SAME_PRESS_MS) process.exit(EXIT.aborted);
    leftAtMs ??= Date.now();
    stop.abort();
  };
  for (const name of signals) process.on(name, leave);
  try {
    return await work(interruption);
  } catch (error) {
    throw signal.aborted ? left(interruption.message) : error;
  } finally {
    // After an interruption the handlers stay, and the process ends by exit(), which leaves them in place to the last: a
    // repeated signal would kill a process that is closing its event loop. Abandoned requests must not keep it running.
    if (signal.aborted) {
      process.once('beforeExit', () => process.exit());
      setTimeout(() => process.exit(), LINGER_MS).unref();
    } else for (const name of signals) process.removeListener(name, leave);
  }
}

/** Never resolves; rejects when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** For commands that serve until they are ended: they drain for at most `longestMs`, and a second signal changes nothing. */
export function drainOnSignal(drain: () => Promise<void> | undefined, longestMs: number): void {
  let isDraining = false;
  const stop = async () => {
    if (isDraining) return;
    isDraining = true;
    setTimeout(() => process.exit(EXIT.done), longestMs).unref();
    await drain();
    process.exit(EXIT.done);
  };
  for (const name of SIGNALS) process.on(name, stop);
}
