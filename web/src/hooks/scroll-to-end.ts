// Keeps a scrolling thread at its end when lines are added, or at its first pending ask. Stops while the person has
// scrolled up to read older lines.
import { type RefObject, useEffect, useRef } from 'react';

/** Closer to the end than this counts as being there. */
const NEAR_PX = 120;
const MARGIN_PX = 16;

/** `count` of what is shown: scrolls when it changes. */
export function useScrollToEnd(count: number): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  /** Where this hook scrolled to: an event from there is not the person's. */
  const scrolledPx = useRef(0);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      const isAway = element.scrollHeight - element.scrollTop - element.clientHeight >= NEAR_PX;
      isAtEnd.current = !isAway || Math.abs(element.scrollTop - scrolledPx.current) < 2;
    };
    element.addEventListener('scroll', update, { passive: true });
    return () => element.removeEventListener('scroll', update);
  });
  useEffect(() => {
    const element = scroller.current;
    if (count === 0 || !element || !isAtEnd.current) return;
    const ask = element.querySelector('article');
    const above = ask ? ask.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
    element.scrollTop = ask ? element.scrollTop + above - MARGIN_PX : element.scrollHeight;
    scrolledPx.current = element.scrollTop;
  }, [count]);
  return scroller;
}
