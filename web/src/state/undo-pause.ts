// Decides how long an allow is held back, so that it can be undone: not at all where a deadline is so near that it might
// arrive too late. Pure.
import type { AskView } from '../../../src/core/views.ts';

export const UNDO_MS = 4000;
/** For the request to arrive, and for clocks that differ a little. */
const MARGIN_MS = 3000;

/** A clarification is declined instead, and its sub-agent goes on. */
export const endsItsRun = ({ kind, expires_at_ms, asked_from }: AskView): boolean =>
  kind === 'question' && expires_at_ms !== undefined && asked_from?.requester === undefined;

/** The question that ends the run of this ask, and this ask with it, before its own deadline. `pending`: what is open. */
export function endingBefore(ask: AskView, pending: readonly AskView[]): AskView | undefined {
  const deadline = (other: AskView) => other.expires_at_ms ?? Number.POSITIVE_INFINITY;
  return pending
    .filter((other) => other.run_id === ask.run_id && other.ask_id !== ask.ask_id && endsItsRun(other))
    .filter((other) => deadline(other) < deadline(ask))
    .sort((a, b) => deadline(a) - deadline(b))[0];
}

/** Zero: an allow of these leaves at once. */
export function pauseMs(asks: readonly AskView[], pending: readonly AskView[], nowMs: number): number {
  const isDue = (ask: AskView | undefined) =>
    (ask?.expires_at_ms ?? Number.POSITIVE_INFINITY) - nowMs < UNDO_MS + MARGIN_MS;
  return asks.some((ask) => isDue(ask) || isDue(endingBefore(ask, pending))) ? 0 : UNDO_MS;
}
