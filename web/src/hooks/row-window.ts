// Follows the scrolling and the size of a long list, and scrolls a row into sight.
import { type RefObject, useLayoutEffect, useState } from 'react';
import { type RowWindow, rowsWithin } from '../state/row-window.ts';

export function useRowWindow(scroller: RefObject<HTMLElement | null>, rowPx: number, count: number): RowWindow {
  const [place, setPlace] = useState({ topPx: 0, heightPx: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => setPlace({ topPx: element.scrollTop, heightPx: element.clientHeight });
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  return rowsWithin(place.topPx, place.heightPx, rowPx, count);
}

/** Scrolls no more than needed for the row to be seen. */
export function revealRow(element: HTMLElement, index: number, rowPx: number): void {
  const top = index * rowPx;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowPx > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowPx - element.clientHeight;
}
