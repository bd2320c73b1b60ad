// A run that fails before or after its program ran, with the reason that observers are told.
import { HoldpointProblem } from '../../client/http.ts';
import type { FailureReason } from '../../core/run.ts';
import type { Ending } from '../agent.ts';

export class DispatchFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string) {
    super(detail);
    this.name = 'DispatchFailure';
    this.reason = reason;
  }
}

/** The end that an error means: a failure by name, a disk that is full, a folder that may not be written. */
export function failureOf(error: unknown): Ending | undefined {
  if (error instanceof DispatchFailure) return { ended: 'failed', reason: error.reason, error: error.message };
  const isOfWorkspace = error instanceof Error && 'syscall' in error && !(error instanceof HoldpointProblem);
  if (!isOfWorkspace) return undefined;
  return { ended: 'failed', reason: 'worker-failed', error: `The workspace could not be used: ${error.message}` };
}
