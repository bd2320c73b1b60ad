// Reports the state of a followed stream: that the connection was lost, that it is back, and that the retries have ended.
// Each is reported once; an interruption too short to notice is not reported.
import { Failure } from './failure.ts';
import { programName } from './program-name.ts';

/** Longer than a server takes to close a stream that is reopened at once. */
const NOTICEABLE_MS = 1000;

export interface ConnectionWatch {
  runId: string;
  report(text: string): void;
  /** Whether a report may be printed now; always by default. */
  mayReport?(): boolean;
  retryForMs: number;
  giveUp(why: Failure): void;
}

/** Call `lost` and `open` as often as the stream does. */
export function watchConnection({ runId, report, mayReport, retryForMs, giveUp }: ConnectionWatch) {
  let timers: NodeJS.Timeout[] | undefined;
  let isReported = false;
  const reportLoss = () => {
    if (mayReport?.() === false) return;
    isReported = true;
    report('connection lost; trying again');
  };
  const end = () => {
    for (const timer of timers ?? []) clearTimeout(timer);
    timers = undefined;
  };
  return {
    lost(): void {
      timers ??= [setTimeout(reportLoss, NOTICEABLE_MS), setTimeout(() => giveUp(lostRun(runId)), retryForMs)];
    },
    open(): void {
      end();
      if (isReported) report('connected again');
      isReported = false;
    },
    end,
  };
}

const lostRun = (runId: string): Failure =>
  new Failure(
    'unreachable',
    `the connection was lost and did not come back; it is not known how ${runId} goes on`,
    `When the server is back: ${programName()} runs show ${runId}`,
  );
