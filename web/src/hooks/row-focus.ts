// Keeps the keyboard focus on something: after a key that moves the selection it is on the selected row, on a card that was
// opened to be read it is on the part that scrolls, and whenever the focused element goes away (a decision, Escape, a closed
// field) it falls back to that row or to the page, never to the body.
import { focusOf } from './gesture.ts';

const isFree = (): boolean =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.matches('#main, .row-link, .card-scroll');

let wantedId: string | undefined;

/** The next row of this request that is drawn as selected takes the focus. */
export const wantRowFocus = (askId: string | undefined): void => {
  wantedId = askId;
};

export function takeRowFocus(askId: string, row: HTMLElement | null): void {
  if (wantedId !== askId || !row) return;
  wantedId = undefined;
  if (isFree()) row.focus({ preventScroll: true });
}

const cardOf = (askId: string | undefined): string =>
  askId === undefined ? '.card:not([data-ask])' : `.card[data-ask="${CSS.escape(askId)}"]`;

let wantedCard: string | undefined;

/**
 * The card of this request, or of a group, takes the focus: now, or when it is drawn. `isLater`: another page is. Returns
 * whether it was on the screen.
 */
export function focusCard(askId?: string, isLater = false): boolean {
  const card = document.querySelector<HTMLElement>(`${cardOf(askId)} .card-scroll`);
  wantedCard = card && !isLater ? undefined : cardOf(askId);
  if (wantedCard === undefined) card?.focus({ preventScroll: true });
  return wantedCard === undefined;
}

export function takeCardFocus(scroller: HTMLElement | null): void {
  if (wantedCard === undefined || !scroller?.closest(wantedCard)) return;
  wantedCard = undefined;
  if (focusOf(document.activeElement) !== 'text') scroller.focus({ preventScroll: true });
}

export function listenToLostFocus(signal: AbortSignal): void {
  document.addEventListener(
    'focusout',
    ({ relatedTarget }) => {
      if (relatedTarget === null) requestAnimationFrame(restore);
    },
    { signal },
  );
}

/** A window that lost the focus keeps its element; a dialog restores the focus itself. */
function restore(): void {
  const { activeElement } = document;
  if (!document.hasFocus() || (activeElement && activeElement !== document.body)) return;
  if (document.querySelector('dialog[open]')) return;
  const row = document.querySelector<HTMLElement>('.row-link[aria-current="true"]');
  const isShown = row?.offsetParent !== null && row;
  (isShown || document.querySelector<HTMLElement>('#main'))?.focus({ preventScroll: true });
}
