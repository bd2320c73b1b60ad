// Reports to the server that the person has seen a whole ask: its top, its bottom, and the end of every box in it that
// scrolls were each in view for a moment, in a visible tab, uncovered. Paging past an ask or reading its first lines does
// not count.
import { type RefObject, useEffect, useRef } from 'react';
import type { AskView, MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMe } from './me.ts';

const IN_VIEW_MS = 500;
const POLL_MS = 100;
const POLLS_IN_VIEW = IN_VIEW_MS / POLL_MS;
const reported = new Set<string>();

/** For the element that shows the ask. `isWhole`: nothing of it is truncated or still loading. */
export function useSighting<E extends Element>(ask: AskView, isWhole: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  const me = useMe();
  const { ask_id: askId } = ask;
  const isUnseen = isWhole && ask.status === 'pending' && !hasSeen(ask, me);
  useEffect(() => {
    if (!isUnseen || !element.current || !me) return;
    return whenInView(element.current, () => report(askId, me.name));
  }, [askId, isUnseen, me]);
  return element;
}

/** This person has seen all of the ask, here or in another window. */
export const useHasSeen = (ask: AskView): boolean => hasSeen(ask, useMe());

const hasSeen = ({ seen_by = [] }: AskView, me: MeView | undefined): boolean =>
  seen_by.some(({ by, surface }) => by === me?.name && surface === 'web');

/** A request that fails is repeated when the ask is shown the next time. */
function report(askId: string, by: string): void {
  const sighting = `${by} ${askId}`;
  if (reported.has(sighting)) return;
  reported.add(sighting);
  api.asks.seen(askId).catch(() => reported.delete(sighting));
}

function whenInView(element: Element, then: () => void): () => void {
  /** For how many polls in a row each edge was in view; once that is enough, it stays so. */
  let polls: number[] = [];
  let layout = '';
  let timer: ReturnType<typeof setInterval> | undefined;
  const poll = () => {
    // A folded file that was not marked as viewed is unread.
    if (element.querySelector('[aria-busy="true"], [data-unread]')) return;
    const edges = edgesOf(element);
    const now = `${edges.length} ${element.scrollHeight}`;
    // Content was added, removed or expanded: what was in view before is not all of it.
    if (now !== layout) polls = [];
    layout = now;
    polls = edges.map((edge, i) => {
      const before = polls[i] ?? 0;
      if (before >= POLLS_IN_VIEW) return before;
      return !document.hidden && isInView(element, edge) ? before + 1 : 0;
    });
    if (polls.some((count) => count < POLLS_IN_VIEW)) return;
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
  return stop;
}

interface Edge {
  box: Element;
  side: 'top' | 'bottom';
}

function edgesOf(element: Element): Edge[] {
  const parts = [...element.children].filter((part) => part.getBoundingClientRect().height > 0);
  const boxes = [...element.querySelectorAll('pre, .diff-lines')].filter((box) => box.clientHeight > 0);
  return [
    { box: parts[0] ?? element, side: 'top' },
    { box: parts.at(-1) ?? element, side: 'bottom' },
    ...boxes.map((box): Edge => ({ box, side: 'bottom' })),
  ];
}

/** Hit-tests the edge, so that whatever covers it counts: a dialog, the actions at the foot of the card. */
function isInView(element: Element, { box, side }: Edge): boolean {
  if (box.scrollTop + box.clientHeight < box.scrollHeight - 2 && box.matches('pre, .diff-lines')) return false;
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, side === 'top' ? top + 1 : bottom - 2);
  return element.contains(hit);
}
