// Tracks which rows of a long list are in view as it is scrolled and resized, and scrolls a row into view.
import { type RefObject, useLayoutEffect, useState } from 'react';
import { type RowWindow, rowsWithin } from '../state/row-window.ts';

export function useRowWindow(scroller: RefObject<HTMLElement | null>, rowPx: number, count: number): RowWindow {
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
  return rowsWithin(view.topPx, view.heightPx, rowPx, count);
}

/** Scrolls no further than needed. */
export function revealRow(element: HTMLElement, index: number, rowPx: number): void {
  const top = index * rowPx;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowPx > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowPx - element.clientHeight;
}
