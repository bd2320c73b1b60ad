// Whether the person has an ask before their eyes: its card on the screen, in a window that is shown, for a moment. The
// server is told once; whoever leafs through a list has seen nothing.
import { type RefObject, useEffect, useRef } from 'react';
import type { AskView, MeView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMe } from './me.ts';

const LOOKED_MS = 500;
const STEPS = Array.from({ length: 21 }, (_, i) => i / 20);
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
  let isOnScreen = false;
  let looking: ReturnType<typeof setTimeout> | undefined;
  const judge = () => {
    const isLooking = isOnScreen && !document.hidden;
    if (isLooking === (looking !== undefined)) return;
    clearTimeout(looking);
    looking = isLooking ? setTimeout(then, LOOKED_MS) : undefined;
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { intersectionRect: shown, boundingClientRect: whole } of entries)
        isOnScreen = shown.height >= Math.min(whole.height / 2, innerHeight / 3);
      judge();
    },
    { threshold: STEPS },
  );
  observer.observe(element);
  document.addEventListener('visibilitychange', judge);
  return () => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', judge);
    clearTimeout(looking);
  };
}
