// Tells which requests expired while the page was open, in one toast that stays until it is dismissed: they leave the
// inbox by themselves, and nobody may have looked.
import type { AskView } from '../../../src/core/views.ts';
import { summary } from '../text/ask-text.ts';
import { dismissToast, isShown, lastingToast } from './toasts.ts';

let missed = 0;
let shownId = 0;

export function tellExpired({ ask_id, request }: AskView): void {
  missed = isShown(shownId) ? missed + 1 : 1;
  dismissToast(shownId);
  const others = missed === 1 ? '' : ` (and ${missed - 1} more)`;
  shownId = lastingToast(`Expired before anyone decided${others}: ${summary(request)}`, {
    label: 'History',
    href: missed === 1 ? `/history/${ask_id}` : '/history?status=expired',
  });
}
