// Whether the person has had all of an ask before their eyes: its beginning, its end, and the end of every box in it that
// scrolls by itself, each for a moment, in a window that is shown, with nothing over it. The server is told once; whoever
// leafs through a list, or reads the first lines, has seen nothing.
import { type RefObject, useEffect, useRef } from 'react';
import type { AskView, MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMe } from './me.ts';

const LOOKED_MS = 500;
const STEP_MS = 100;
const told = new Set<string>();

/** For the element that shows the ask. `isWhole`: nothing of it is folded away or still to come. */
export function useSighting<E extends Element>(ask: AskView, isWhole: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  const me = useMe();
  const { ask_id: askId } = ask;
  const isNews = isWhole && ask.status === 'pending' && !isKnown(ask, me);
  useEffect(() => {
    if (!isNews || !element.current || !me) return;
    return whenLookedAt(element.current, () => tell(askId, me.name));
  }, [askId, isNews, me]);
  return element;
}

const isKnown = ({ seen_by = [] }: AskView, me: MeView | undefined): boolean =>
  seen_by.some(({ by, surface }) => by === me?.name && surface === 'web');

/** If it cannot be told now, it is when the ask is shown the next time. */
function tell(askId: string, by: string): void {
  const sighting = `${by} ${askId}`;
  if (told.has(sighting)) return;
  told.add(sighting);
  api.asks.seen(askId).catch(() => told.delete(sighting));
}

function whenLookedAt(element: Element, then: () => void): () => void {
  /** How many steps each edge has been in view without a pause; once looked at, it stays so. */
  let steps: number[] = [];
  let shape = '';
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = () => {
    // A part of it is still to come.
    if (element.querySelector('[aria-busy="true"]')) return;
    const edges = edgesOf(element);
    const now = `${edges.length} ${element.scrollHeight}`;
    // Something came, went or was unfolded: who looked before that has not seen this.
    if (now !== shape) steps = [];
    shape = now;
    steps = edges.map((edge, i) => {
      const before = steps[i] ?? 0;
      if (before >= LOOKED_MS / STEP_MS) return before;
      return !document.hidden && isInView(element, edge) ? before + 1 : 0;
    });
    if (steps.some((count) => count < LOOKED_MS / STEP_MS)) return;
    stop();
    then();
  };
  const observer = new IntersectionObserver((entries) => {
    clearInterval(timer);
    if (entries.at(-1)?.isIntersecting) timer = setInterval(look, STEP_MS);
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
  const boxes = [...element.querySelectorAll('pre, [tabindex="0"]')];
  return [
    { box: parts[0] ?? element, side: 'top' },
    { box: parts.at(-1) ?? element, side: 'bottom' },
    ...boxes.map((box): Edge => ({ box, side: 'bottom' })),
  ];
}

/** Asks what is drawn there, so that whatever lies over it counts: a dialog, the buttons at the foot of the card. */
function isInView(element: Element, { box, side }: Edge): boolean {
  const isScrolling = box.matches('pre, [tabindex="0"]');
  if (isScrolling && box.scrollTop + box.clientHeight < box.scrollHeight - 2) return false;
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const drawn = document.elementFromPoint((left + right) / 2, side === 'top' ? top + 1 : bottom - 2);
  return element.contains(drawn);
}
