// Tracks which part of a long list is in view as it is scrolled and resized, and scrolls a row into view.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { type ListLayout, movedBy } from '../state/list-rows.ts';

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

/** Keeps what is in view where it is when rows above it come or go; what the person rearranges (`view`) moves. */
export function useAnchor(scroller: RefObject<HTMLElement | null>, layout: ListLayout, view: string): void {
  const last = useRef({ layout, view, topPx: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    const note = () => {
      if (element) last.current.topPx = element.scrollTop;
    };
    element?.addEventListener('scroll', note, { passive: true });
    return () => element?.removeEventListener('scroll', note);
  }, [scroller]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = last.current;
    last.current = { layout, view, topPx: before.topPx };
    if (!element?.clientHeight || before.layout === layout || before.view !== view || before.topPx === 0) return;
    const by = movedBy(before.layout, layout, before.topPx);
    if (by !== 0) element.scrollTop = before.topPx + by;
    last.current.topPx = element.scrollTop;
  }, [scroller, layout, view]);
}

/** Scrolls no further than needed. */
export function revealRow(element: HTMLElement, topPx: number, rowPx: number): void {
  if (topPx < element.scrollTop) element.scrollTop = topPx;
  else if (topPx + rowPx > element.scrollTop + element.clientHeight)
    element.scrollTop = topPx + rowPx - element.clientHeight;
}
