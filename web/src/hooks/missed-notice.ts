// Tells which requests ended without this person: those that expired while the page was open, and those that ended before
// their decision arrived. Each in a toast that stays until it is dismissed, because the person may be elsewhere by then.

import { summaryLine } from '../../../src/client/action-summary.ts';
import type { AskView } from '../../../src/core/views.ts';
import { kindOf } from '../text/action-kind.ts';
import { summary } from '../text/ask-text.ts';
import { oneLine } from '../text/visible.ts';
import { dismissToast, isShown, lastingToast } from './toasts.ts';
import { cameTooLate, whyTooLate } from './touched-asks.ts';

/** With the name of a tool whose input says little without it. */
const named = (request: AskView['request']): string =>
  kindOf(request) === 'tool' ? oneLine(summaryLine(request)) : summary(request);

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
    lastingToast(`${why} ${named(request)}`, { label: 'Show', href: `/asks/${ask_id}` });
}

function show(next: readonly AskView[]): void {
  dismissToast(shownId);
  expired = next;
  const last = next.at(-1);
  if (!last) return;
  const others = next.length === 1 ? '' : ` (and ${next.length - 1} more)`;
  shownId = lastingToast(`Expired before anyone decided${others}: ${named(last.request)}`, {
    label: 'History',
    href: next.length === 1 ? `/history/${last.ask_id}` : '/history?status=expired',
  });
}
