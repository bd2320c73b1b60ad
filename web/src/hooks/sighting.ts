// Reports to the server that the person has seen a whole ask: its top and its bottom were each in view for a moment, and
// every part of each box in it was on the screen, in a visible tab, uncovered. Paging past an ask, reading its first lines
// or jumping to its end does not count. Also knows how much of it that was so far, and leads to what is left.
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import type { AskView, MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { firstUnshown, middleOf, partCount, partsBetween, percentShown, topOf } from '../state/shown-parts.ts';
import { useMe } from './me.ts';

const IN_VIEW_MS = 500;
const POLL_MS = 100;
const POLLS_IN_VIEW = IN_VIEW_MS / POLL_MS;
/** What scrolls: commands, inputs and diffs. */
const BOXES = 'pre, .diff-lines';
const reported = new Set<string>();

/** For the element that shows the ask. `isWhole`: nothing of it is truncated or still loading. */
export function useSighting<E extends Element>(ask: AskView, isWhole: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  const me = useMe();
  const { ask_id: askId } = ask;
  const isUnseen = isWhole && ask.status === 'pending' && !hasSeen(ask, me);
  useEffect(() => {
    if (!isUnseen || !element.current || !me) return;
    const watch = whenInView(
      element.current,
      () => report(askId, me.name),
      (percent) => setReading(askId, { percent, readOn: watch.readOn }),
    );
    return () => {
      watch.stop();
      setReading(askId, undefined);
    };
  }, [askId, isUnseen, me]);
  return element;
}

/** This person has seen all of the ask, here or in another window. */
export const useHasSeen = (ask: AskView): boolean => hasSeen(ask, useMe());

const hasSeen = ({ seen_by = [] }: AskView, me: MeView | undefined): boolean =>
  seen_by.some(({ by, surface }) => by === me?.name && surface === 'web');

/** How much of an ask that is on the screen was shown so far. */
export interface Reading {
  percent: number;
  /** Scrolls to the first part that was not. */
  readOn(): void;
}

const readings = new Map<string, Reading>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Undefined before it is shown whole, and once it was seen. */
export const useReading = (askId: string): Reading | undefined =>
  useSyncExternalStore(subscribe, () => readings.get(askId));

function setReading(askId: string, reading: Reading | undefined): void {
  if (reading) readings.set(askId, reading);
  else readings.delete(askId);
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
  readOn(): void;
}

function whenInView(element: Element, then: () => void, onShown: (percent: number) => void): Watch {
  /** For how many polls in a row each edge was in view; once that is enough, it stays so. */
  let polls: number[] = [];
  let heightPx = 0;
  let boxes: Box[] = [];
  let percent = -1;
  let timer: ReturnType<typeof setInterval> | undefined;
  const poll = () => {
    // A folded file that was not marked as viewed is unread.
    if (element.querySelector('[aria-busy="true"], [data-unread]')) return;
    // Content was added, removed or expanded: what was in view before is not all of it.
    if (element.scrollHeight !== heightPx) polls = [];
    heightPx = element.scrollHeight;
    boxes = boxesOf(element, boxes);
    if (!document.hidden) for (const box of boxes) noteShown(box);
    const shown = percentShown(boxes);
    if (shown !== percent) onShown(shown);
    percent = shown;
    polls = edgesOf(element).map((edge, i) => {
      const before = polls[i] ?? 0;
      if (before >= POLLS_IN_VIEW) return before;
      return !document.hidden && isInView(element, edge) ? before + 1 : 0;
    });
    if (shown < 100 || polls.some((count) => count < POLLS_IN_VIEW)) return;
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
  observer.observe(element);
  return {
    stop,
    readOn() {
      const box = boxes.find((each) => firstUnshown(each) !== undefined);
      if (box) scrollTo(box, topOf(firstUnshown(box) ?? 0));
      else edgesOf(element)[(polls[0] ?? 0) < POLLS_IN_VIEW ? 0 : 1]?.box.scrollIntoView();
    },
  };
}

/** `shown`: its parts that were on the screen. */
interface Box {
  element: Element;
  heightPx: number;
  shown: Set<number>;
}

/** A box whose height has changed is not the one that was shown. */
function boxesOf(element: Element, known: readonly Box[]): Box[] {
  const found = [...element.querySelectorAll(BOXES)].filter((box) => box.clientHeight > 0);
  return found.map((box) => {
    const before = known.find((each) => each.element === box);
    if (before?.heightPx === box.scrollHeight) return before;
    return { element: box, heightPx: box.scrollHeight, shown: new Set() };
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
