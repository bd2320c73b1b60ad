// Shows what a run was asked to do, whole. The environment of its program may hold credentials: their values are for
// operators, for the agent's own side and for the worker that has claimed the session's work.
import type { Ports, Reader } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import { isHolder, isHostedRun } from './lease.ts';
import { activeRun, runRecord, sessionRecord } from './records.ts';

/** With the partial state of the previous dispatch, as a worker gets it when it claims the run. */
export function showInput(ports: Ports, id: string, reader: Actor): Promise<Record<string, unknown>> {
  return ports.store.read(async (r) => {
    const run = await runRecord(r, id);
    const left = run.carriesAskId === undefined ? undefined : await r.get('partialState', run.carriesAskId);
    const input = (await seesValues(r, run, reader)) ? run.input : withoutValues(run.input);
    return left ? { ...input, partial_state: JSON.parse(left.state) } : input;
  });
}

/** A run that carries the answer to a form starts the command of an earlier run of its session, with that one's environment. */
async function seesValues(r: Reader, run: Run, reader: Actor): Promise<boolean> {
  if (reader.scope !== 'worker') return reader.scope !== 'viewer';
  const active = await activeRun(r, await sessionRecord(r, run.sessionId));
  return active !== undefined && isHostedRun(active) && isHolder(active, reader);
}

function withoutValues(input: Record<string, unknown>): Record<string, unknown> {
  const { env } = input;
  if (typeof env !== 'object' || env === null) return input;
  return { ...input, env: Object.fromEntries(Object.keys(env).map((name) => [name, '(hidden)'])) };
}
