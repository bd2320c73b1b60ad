// Waits until a run needs nobody's patience any more: it has ended, or waits for a person again.
import type { Client } from '../client/client.ts';
import { isTerminal, isWaiting } from '../core/run.ts';
import type { RunView } from '../core/views.ts';
import { EXIT } from './exit-codes.ts';
import { left } from './failure.ts';

const isSettled = ({ status }: RunView): boolean => isTerminal(status) || isWaiting(status);

/** Ctrl-C ends the waiting, not the run. */
export async function waitUntilSettled(client: Client, run: RunView): Promise<RunView> {
  const stop = new AbortController();
  const leave = () => stop.abort(left(`stopped waiting; run ${run.run_id} goes on`));
  process.once('SIGINT', leave);
  try {
    // Where the log stands before the first look: nothing can fall between the look and the stream.
    const { cursor: after } = await client.asks.list({ run_id: run.run_id, limit: 1 });
    let seen = await client.runs.get(run.run_id);
    if (isSettled(seen)) return seen;
    for await (const { type } of client.events.followRun(run.run_id, { after, signal: stop.signal })) {
      if (type === 'output') continue;
      seen = await client.runs.get(run.run_id);
      if (isSettled(seen)) return seen;
    }
    throw stop.signal.reason;
  } finally {
    process.removeListener('SIGINT', leave);
  }
}

/** Ended otherwise than completed is worth an exit code of its own. */
export function setExitOf(run: RunView): void {
  if (isTerminal(run.status) && run.status !== 'completed') process.exitCode = EXIT.unfinished;
}
