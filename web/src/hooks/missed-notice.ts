// Tells how requests ended: in a short toast, what this person decided; in one that stays until it is dismissed, because the
// person may be elsewhere by then, what expired while the page was open, what ended before their decision arrived, and what
// their decision came to nothing for.

import { summaryLine } from '../../../src/client/action-summary.ts';
import type { AskView } from '../../../src/core/views.ts';
import { kindOf } from '../text/action-kind.ts';
import { heading, isNotTaken, shortSummary, summary, undeliveredWhy, verbOf } from '../text/ask-text.ts';
import { oneLine } from '../text/visible.ts';
import { currentInbox } from './live-inbox.ts';
import { dismissToast, isShown, lastingToast, toast } from './toasts.ts';
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

/** A plan is approved. */
export const doneWord = ({ request }: AskView, what: string): string =>
  what === 'Allowed' ? verbOf({ behavior: 'allow' }, request) : what;

/** Unless it has come to nothing meanwhile, which is told already. */
export function tellDone(ask: AskView, what: string): void {
  const now = currentInbox().entries.find((entry) => entry.ask.ask_id === ask.ask_id)?.ask;
  if (now && isNotTaken(now)) return;
  const isGiven = what === 'Allowed' || what === 'Answered';
  const tool = ['edit', 'read', 'web', 'tool'].includes(kindOf(ask.request)) ? `${heading(ask.request)} ` : '';
  toast(`${doneWord(ask, what)}: ${tool}${shortSummary(ask)}`, isGiven ? 'good' : 'plain', { askId: ask.ask_id });
}

/** The answer came to nothing. `again`: the request in which the same action is asked again. */
export function tellNotDelivered(ask: AskView, again?: AskView): void {
  const lead = again
    ? `Not run, asked again: ${shortSummary(ask)}`
    : `Your answer did not reach the agent: ${shortSummary(ask)}`;
  const link = again
    ? { label: 'Open', href: `/asks/${again.ask_id}` }
    : { label: 'Show', href: `/asks/${ask.ask_id}` };
  lastingToast(`${lead} (${undeliveredWhy(ask)})`, link, ask.ask_id);
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
