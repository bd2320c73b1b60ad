// Knows how much of an ask was on the screen, in a visible tab and uncovered: every part of each text of its action. Leads
// to what was not, and tells the cards, which allow nothing before. Reports to the server that the person has seen the ask
// once its top and its bottom were in view for a moment, too. Paging past an ask, or jumping to its end, does not count.
import { type RefObject, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import type { AskView, MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { firstUnshown, middleOf, partCount, partsBetween, percentShown, topOf } from '../state/shown-parts.ts';
import { movedByItself } from './gesture.ts';
import { useMe } from './me.ts';

const IN_VIEW_MS = 500;
const POLL_MS = 100;
const POLLS_IN_VIEW = IN_VIEW_MS / POLL_MS;
/** What says what would be done. Evidence and comments do not. */
const BOXES =
  ':is(pre, .diff-lines, .code-head, .card-title, .facts, .bullets, .markdown, .member-part):not(.details *, .comments *)';
/** Still loading; a folded file that was not marked as viewed; a text that is truncated. */
const UNREAD = '[aria-busy="true"], [data-unread], .show-rest';
const reported = new Set<string>();

/** For the element that shows the ask. `isWhole`: nothing of it is truncated or still loading. */
export function useSighting<E extends Element>(ask: AskView, isWhole: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  const me = useMe();
  const { ask_id: askId } = ask;
  const name = me?.name;
  const isUnseen = isWhole && ask.status === 'pending' && !hasSeen(ask, me);
  // Before it is painted: what fits can be allowed from the first frame on.
  useLayoutEffect(() => {
    if (!isUnseen || !element.current || name === undefined) return;
    const kept = partlyShown.get(askId) ?? new Map();
    partlyShown.set(askId, kept);
    const watch = whenInView(
      element.current,
      kept,
      () => report(askId, name),
      (reading) => setReading(askId, reading),
    );
    return () => {
      watch.stop();
      setReading(askId, undefined);
    };
  }, [askId, isUnseen, name]);
  return element;
}

const hasSeen = ({ seen_by = [] }: AskView, me: MeView | undefined): boolean =>
  seen_by.some(({ by, surface }) => by === me?.name && surface === 'web');

/** How much of an ask that is on the screen was shown so far. */
export interface Reading {
  percent: number;
  /** It does not fit: the person has to be told to read on. One that only has to be scrolled into view does. */
  isCut: boolean;
  /** Checks now what is on the screen. */
  look(): void;
  /** Scrolls to the first part that was not shown. */
  readOn(): void;
}

const readings = new Map<string, Reading>();
/** An ask does not change: what was shown once need not be read again. */
const shownIds = new Set<string>();
/** Of asks that were shown in part: the parts of each text, which are still shown when the ask is opened again. */
const partlyShown = new Map<string, ShownParts>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Undefined before it is shown whole, and once it was seen. */
export const useReading = (askId: string): Reading | undefined =>
  useSyncExternalStore(subscribe, () => readings.get(askId));

/** The ids of those of which this person has not been shown all, here or in another window. */
export function useUnshown(asks: readonly AskView[]): readonly string[] {
  const me = useMe();
  const ids = useSyncExternalStore(subscribe, () =>
    asks.flatMap((ask) => (shownIds.has(ask.ask_id) || hasSeen(ask, me) ? [] : [ask.ask_id])).join(' '),
  );
  return ids === '' ? [] : ids.split(' ');
}

/** Whether it is shown by now: a key may be pressed before the next look. */
export function isShownNow(askId: string): boolean {
  readings.get(askId)?.look();
  return shownIds.has(askId);
}

function setReading(askId: string, reading: Reading | undefined): void {
  if (reading) readings.set(askId, reading);
  else readings.delete(askId);
  if (reading?.percent === 100) {
    shownIds.add(askId);
    partlyShown.delete(askId);
  }
  for (const listener of listeners) listener();
}

/** A request that fails is repeated when the ask is shown the next time. */
function report(askId: string, by: string): void {
  const sighting = `${by} ${askId}`;
  if (reported.has(sighting)) return;
  reported.add(sighting);
  api.asks.seen(askId).catch(() => reported.delete(sighting));
}

interface Watch {
  stop(): void;
}

function whenInView(element: Element, kept: ShownParts, then: () => void, onShown: (reading: Reading) => void): Watch {
  /** For how many polls in a row each edge was in view; once that is enough, it stays so. */
  let polls: number[] = [];
  let heightPx = 0;
  let boxes: Box[] = [];
  let percent = -1;
  let isLoading = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = () => {
    if (element.querySelector(UNREAD)) {
      isLoading = true;
      return false;
    }
    // It can be allowed from now on, by itself: what is pressed in this moment was meant for what was there before.
    if (isLoading) movedByItself();
    isLoading = false;
    boxes = boxesOf(element, boxes, kept);
    if (!document.hidden) for (const box of boxes) noteShown(box);
    const shown = percentShown(boxes);
    if (shown !== percent) {
      percent = shown;
      onShown({ percent, isCut: percent < 100 && (!element.closest('.inline') || isTall(boxes)), look, readOn });
    }
    return true;
  };
  const readOn = () => {
    const box = boxes.find((each) => firstUnshown(each) !== undefined);
    if (box) scrollTo(box, topOf(firstUnshown(box) ?? 0));
    else edgesOf(element)[(polls[0] ?? 0) < POLLS_IN_VIEW ? 0 : 1]?.box.scrollIntoView();
  };
  const poll = () => {
    if (!look()) return;
    // Content was added, removed or expanded: what was in view before is not all of it.
    if (element.scrollHeight !== heightPx) polls = [];
    heightPx = element.scrollHeight;
    polls = edgesOf(element).map((edge, i) => {
      const before = polls[i] ?? 0;
      if (before >= POLLS_IN_VIEW) return before;
      return !document.hidden && isInView(element, edge) ? before + 1 : 0;
    });
    if (percent < 100 || polls.some((count) => count < POLLS_IN_VIEW)) return;
    stop();
    then();
  };
  const observer = new IntersectionObserver((entries) => {
    clearInterval(timer);
    if (entries.at(-1)?.isIntersecting) timer = setInterval(poll, POLL_MS);
  });
  const stop = () => {
    observer.disconnect();
    clearInterval(timer);
  };
  look();
  observer.observe(element);
  return { stop };
}

/** `shown`: its parts that were on the screen. */
interface Box {
  element: Element;
  heightPx: number;
  shown: Set<number>;
}

/** By the text, its place among the texts of the ask, and its height. */
type ShownParts = Map<string, Set<number>>;

const isTall = (boxes: readonly Box[]): boolean =>
  boxes.reduce((sum, { heightPx }) => sum + heightPx, 0) > innerHeight / 2;

/** A box whose height has changed is not the one that was shown. */
function boxesOf(element: Element, known: readonly Box[], kept: ShownParts): Box[] {
  const found = [...element.querySelectorAll(BOXES)].filter((box) => box.clientHeight > 0);
  return found.map((box, i) => {
    const before = known.find((each) => each.element === box);
    const { scrollHeight: heightPx, textContent } = box;
    if (before?.heightPx === heightPx) return before;
    const text = `${i} ${heightPx} ${textContent}`;
    const shown = kept.get(text) ?? new Set();
    kept.set(text, shown);
    return { element: box, heightPx, shown };
  });
}

/** Hit-tests each part, so that whatever covers it counts: a dialog, a header that stays, the actions of the card. */
function noteShown({ element, heightPx, shown }: Box): void {
  if (shown.size === partCount(heightPx)) return;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const start = top - element.scrollTop;
  for (const part of partsBetween(heightPx, Math.max(0, top) - start, Math.min(innerHeight, bottom) - start)) {
    if (shown.has(part)) continue;
    const hit = document.elementFromPoint((left + right) / 2, start + middleOf(part, heightPx));
    if (element.contains(hit)) shown.add(part);
  }
}

/** Below what stays at the top of a card. */
const MARGIN_PX = 100;

function scrollTo({ element }: Box, fromTopPx: number): void {
  const scrolls = ({ scrollHeight, clientHeight }: Element) => scrollHeight > clientHeight + 2;
  if (scrolls(element)) element.scrollTop = fromTopPx;
  let frame = element.parentElement;
  while (frame && !(scrolls(frame) && /auto|scroll/.test(getComputedStyle(frame).overflowY)))
    frame = frame.parentElement;
  if (!frame) return;
  const top = element.getBoundingClientRect().top - element.scrollTop + fromTopPx;
  frame.scrollBy({ top: top - frame.getBoundingClientRect().top - MARGIN_PX });
}

interface Edge {
  box: Element;
  side: 'top' | 'bottom';
}

function edgesOf(element: Element): Edge[] {
  const parts = [...element.children].filter((part) => part.getBoundingClientRect().height > 0);
  return [
    { box: parts[0] ?? element, side: 'top' },
    { box: parts.at(-1) ?? element, side: 'bottom' },
  ];
}

function isInView(element: Element, { box, side }: Edge): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, side === 'top' ? top + 1 : bottom - 2);
  return element.contains(hit);
}
