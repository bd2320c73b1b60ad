// Aborts when a Holdpoint server has not replied for too long: for a process that must not wait for it without end.
import { HoldpointProblem, type Http } from '../../client/http.ts';

const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 5000;

export interface LostServer {
  signal: AbortSignal;
  stop(): void;
}

/** A refusal is a reply. */
export function watchServer(http: Http, { limitMs = LIMIT_MS, lookEveryMs = LOOK_EVERY_MS } = {}): LostServer {
  const lost = new AbortController();
  let repliedAt = performance.now();
  const look = async () => {
    const replies = await replied(http, limitMs);
    if (replies) repliedAt = performance.now();
    else if (performance.now() - repliedAt > limitMs)
      lost.abort(new Error(`Holdpoint at ${http.url} has not replied for ${Math.round(limitMs / 1000)} seconds.`));
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}

async function replied(http: Http, timeoutMs: number): Promise<boolean> {
  try {
    const response = await http.open({ method: 'GET', path: '/healthz', signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return true;
  } catch (error) {
    return error instanceof HoldpointProblem;
  }
}
