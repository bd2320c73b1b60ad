// Appends the six events of a dispatch, beside those of its run, for observers who may know that something happened but
// not what was asked. They carry no text of a question, an answer or an error.
import type { EventType } from '../core/event.ts';
import type { Run } from '../core/run.ts';
import type { Ledger } from './ledger.ts';

type DispatchEvent = Extract<EventType, `dispatch.${string}`>;

/** Does nothing for a run that is no dispatch. */
export function noteDispatch(
  ledger: Ledger,
  run: Run,
  type: DispatchEvent,
  data: Record<string, unknown> = {},
  askId?: string,
): void {
  if (ledger.ports.isDispatchAgent(run.agent)) ledger.note(type, data, run.id, askId);
}

/** A dispatch that stopped to ask has its event already; its hand-over is not a finish. */
export function noteDispatchEnd(ledger: Ledger, run: Run, exitCode: number | undefined): void {
  const exit = exitCode === undefined ? {} : { exit_code: exitCode };
  if (run.outcome === 'needs_input') return;
  if (run.status === 'completed') noteDispatch(ledger, run, 'dispatch.finished', exit);
  else if (run.status === 'failed')
    noteDispatch(ledger, run, 'dispatch.failed', { reason: run.outcome ?? 'worker-failed', ...exit });
  else noteDispatch(ledger, run, 'dispatch.cancelled', { reason: 'cancelled' });
}
