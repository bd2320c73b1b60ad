// Tracks which part of a long list is in view as it is scrolled and resized, and scrolls a row into view.
import { type RefObject, useLayoutEffect, useState } from 'react';

export function useRowWindow(scroller: RefObject<HTMLElement | null>): { topPx: number; heightPx: number } {
  const [view, setView] = useState({ topPx: 0, heightPx: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => setView({ topPx: element.scrollTop, heightPx: element.clientHeight });
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scroller]);
  return view;
}

/** Scrolls no further than needed. */
export function revealRow(element: HTMLElement, topPx: number, rowPx: number): void {
  if (topPx < element.scrollTop) element.scrollTop = topPx;
  else if (topPx + rowPx > element.scrollTop + element.clientHeight)
    element.scrollTop = topPx + rowPx - element.clientHeight;
}
