// Declares the failure of a dispatch before or after its program ran, with the reason that observers are given.
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

/** The ending for a dispatch failure or a file system error; undefined for any other error. */
export function failureOf(error: unknown): Ending | undefined {
  if (error instanceof DispatchFailure) return { ended: 'failed', reason: error.reason, error: error.message };
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  return { ended: 'failed', reason: 'worker-failed', error: `The workspace could not be used: ${error.message}` };
}
