// Aborts when a Holdpoint server has not replied for too long: for a process that must not wait for it without end.
import { HoldpointProblem, HoldpointUnreachable, type Http } from '../../client/http.ts';

const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 5000;

export interface LostServer {
  signal: AbortSignal;
  stop(): void;
}

/** A refusal is a reply. A machine that slept has not asked meanwhile, so the time counts from the first failure. */
export function watchServer(http: Http, { limitMs = LIMIT_MS, lookEveryMs = LOOK_EVERY_MS } = {}): LostServer {
  const lost = new AbortController();
  let repliedAt = 0;
  let failingSince: number | undefined;
  const look = async () => {
    const startedAt = performance.now();
    if (await replied(http, limitMs)) {
      repliedAt = performance.now();
      failingSince = undefined;
      return;
    }
    if (startedAt < repliedAt) return;
    failingSince ??= startedAt;
    if (performance.now() - failingSince < limitMs) return;
    const cause = new Error(`it has not replied for ${Math.round(limitMs / 1000)} seconds`);
    lost.abort(new HoldpointUnreachable(http.url, cause));
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
