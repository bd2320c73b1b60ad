// Tells which requests ended without this person: those that expired while the page was open, and those that ended before
// their decision arrived. Each in a toast that stays until it is dismissed, because the person may be elsewhere by then.
import type { AskView } from '../../../src/core/views.ts';
import { summary } from '../text/ask-text.ts';
import { dismissToast, isShown, lastingToast } from './toasts.ts';
import { cameTooLate, whyTooLate } from './touched-asks.ts';

let expired: readonly AskView[] = [];
let shownId = 0;

export function tellExpired(ask: AskView): void {
  if (whyTooLate(ask.ask_id) === undefined) show([...(isShown(shownId) ? expired : []), ask]);
}

/** Beside its card where that is on the screen. */
export function tellTooLate(ask: AskView, why: string): void {
  const { ask_id, request } = ask;
  cameTooLate(ask_id, why);
  // It has just been said that nobody decided.
  if (isShown(shownId) && expired.some((other) => other.ask_id === ask_id))
    show(expired.filter((other) => other.ask_id !== ask_id));
  if (!document.querySelector(`.card[data-ask="${CSS.escape(ask_id)}"]`))
    lastingToast(`${why} ${summary(request)}`, { label: 'Show', href: `/asks/${ask_id}` });
}

function show(next: readonly AskView[]): void {
  dismissToast(shownId);
  expired = next;
  const last = next.at(-1);
  if (!last) return;
  const others = next.length === 1 ? '' : ` (and ${next.length - 1} more)`;
  shownId = lastingToast(`Expired before anyone decided${others}: ${summary(last.request)}`, {
    label: 'History',
    href: next.length === 1 ? `/history/${last.ask_id}` : '/history?status=expired',
  });
}
