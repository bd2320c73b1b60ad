// A dispatch that fails before or after its program ran, with the reason that observers are told.
import type { FailureReason } from '../core/run.ts';

export class DispatchFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string) {
    super(detail);
    this.name = 'DispatchFailure';
    this.reason = reason;
  }
}
