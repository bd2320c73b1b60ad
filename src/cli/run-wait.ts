// Waits until a run has ended or waits for a person again. Owns the exit code of a run that did not complete.
import type { Client } from '../client/client.ts';
import { isTerminal, isWaiting } from '../core/run.ts';
import type { RunView } from '../core/views.ts';
import { type MutationFlags, retryForMsOf } from './command-flags.ts';
import { watchConnection } from './connection-watch.ts';
import { EXIT } from './exit-codes.ts';
import { note } from './output.ts';
import type { Interruption } from './signals.ts';

const isSettled = ({ status }: RunView): boolean => isTerminal(status) || isWaiting(status);

/** An interruption ends the wait, not the run. */
export async function waitForRun(
  client: Client,
  { run_id }: RunView,
  flags: MutationFlags,
  interruption: Interruption,
): Promise<RunView> {
  interruption.message = `stopped waiting; run ${run_id} continues`;
  const lost = new AbortController();
  const signal = AbortSignal.any([interruption.signal, lost.signal]);
  const connection = watchConnection({
    runId: run_id,
    report: note,
    retryForMs: retryForMsOf(flags),
    giveUp: (why) => lost.abort(why),
  });
  try {
    // The position of the log before the first look: no event can fall between the look and the stream.
    const { cursor: after } = await interruption.or(client.asks.list({ run_id, limit: 1 }));
    let run = await interruption.or(client.runs.get(run_id));
    if (isSettled(run)) return run;
    const from = { after, signal, onOpen: connection.open, onLost: connection.lost };
    for await (const { type } of client.events.followRun(run_id, from)) {
      if (type === 'output') continue;
      run = await client.runs.get(run_id);
      if (isSettled(run)) return run;
    }
    throw signal.reason;
  } finally {
    connection.end();
  }
}

export function setExitCode({ status }: RunView): void {
  if (isTerminal(status) && status !== 'completed') process.exitCode = EXIT.unfinished;
}
