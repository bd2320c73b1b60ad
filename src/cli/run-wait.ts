// Waits until a run needs nobody's patience any more: it has ended, or waits for a person again.
import type { Client } from '../client/client.ts';
import { isTerminal, isWaiting } from '../core/run.ts';
import type { RunView } from '../core/views.ts';
import { watchLink } from './connection-watch.ts';
import { EXIT } from './exit-codes.ts';
import { left } from './failure.ts';
import { type MutationFlags, note, retryForMsOf } from './server-connection.ts';
import { onLeave } from './signals.ts';

const isSettled = ({ status }: RunView): boolean => isTerminal(status) || isWaiting(status);

/** Ctrl-C ends the waiting, not the run. */
export async function waitUntilSettled(client: Client, run: RunView, flags: MutationFlags): Promise<RunView> {
  const stop = new AbortController();
  const leave = () => stop.abort(left(`stopped waiting; run ${run.run_id} goes on`));
  const endListening = onLeave(leave);
  const link = watchLink({
    runId: run.run_id,
    remark: note,
    retryForMs: retryForMsOf(flags),
    giveUp: (why) => stop.abort(why),
  });
  try {
    // Where the log stands before the first look: nothing can fall between the look and the stream.
    const { cursor: after } = await client.asks.list({ run_id: run.run_id, limit: 1 });
    let seen = await client.runs.get(run.run_id);
    if (isSettled(seen)) return seen;
    const from = { after, signal: stop.signal, onOpen: link.open, onLost: link.lost };
    for await (const { type } of client.events.followRun(run.run_id, from)) {
      if (type === 'output') continue;
      seen = await client.runs.get(run.run_id);
      if (isSettled(seen)) return seen;
    }
    throw stop.signal.reason;
  } finally {
    link.end();
    endListening();
  }
}

/** Ended otherwise than completed is worth an exit code of its own. */
export function setExitOf(run: RunView): void {
  if (isTerminal(run.status) && run.status !== 'completed') process.exitCode = EXIT.unfinished;
}
