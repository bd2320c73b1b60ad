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
    const { items } = await client.events.ofRun(run.run_id, { limit: 1 });
    let seen = await client.runs.get(run.run_id);
    if (isSettled(seen)) return seen;
    // Every event of the run is a reason to look again; the stream begins with those that are already there.
    for await (const _ of client.events.followRun(run.run_id, { after: items[0]?.seq ?? 0, signal: stop.signal })) {
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
