// What the person types is kept on the server while they type: after a pause, when the card goes, and when the page is
// left; until the server has it, in this window. A reload takes it up again, and the person's other windows follow it as it
// is typed: the last key wins. Never a secret: the form leaves those out.
import { useCallback, useEffect, useRef, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { DraftView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { onDraft } from './live-inbox.ts';
import { queries, useFetched } from './queries.ts';
import { begin, isBegun } from './touched-asks.ts';

export type DraftContent = Pick<DraftView, 'answers' | 'reason' | 'justification' | 'updated_input'>;

export interface Draft {
  /** What is to be taken up. `isNews`: typed in another window after this one was opened, so it is the newest. */
  taken: { content: DraftContent; isNews: boolean } | undefined;
  state: 'idle' | 'unsaved' | 'saved' | 'failed';
  save(content: DraftContent): void;
  /** An answer is on its way: nothing is kept any more, unless it comes to nothing. Sent, what was kept is dropped. */
  hold(): { release(): void; drop(): void };
}

const PAUSE_MS = 300;
/** Browsers carry no more than this out of a page that is left. */
const CARRIED_BYTES = 60_000;

/** What the server may not have yet: a page that is left cannot wait for it, and the next one may ask before it arrives. */
const here = {
  keyOf: (askId: string) => `holdpoint-draft-${askId}`,
  get(askId: string): DraftContent | undefined {
    const text = sessionStorage.getItem(here.keyOf(askId));
    return text === null ? undefined : (JSON.parse(text) as DraftContent);
  },
  keep(askId: string, content: DraftContent): void {
    try {
      sessionStorage.setItem(here.keyOf(askId), JSON.stringify(content));
    } catch {
      here.drop(askId); // There is no room. An older text must not take the place of this one.
    }
  },
  drop: (askId: string) => sessionStorage.removeItem(here.keyOf(askId)),
};

const keyOf = (askId: string) => ['draft', askId];
const knownOf = (askId: string) => queries.getQueryData<DraftView | null>(keyOf(askId));
/** Answers of the server may overtake each other; a draft only grows. */
const newer = (a: DraftView | null, b: DraftView | null | undefined): DraftView | null =>
  b && b.revision > (a?.revision ?? 0) ? b : a;

onDraft(({ ask_id, revision }) => {
  const known = knownOf(ask_id);
  if (revision !== undefined && revision > (known?.revision ?? 0))
    void queries.invalidateQueries({ queryKey: keyOf(ask_id) });
});

/** What was kept; null when nothing was; undefined until that is known. */
export function useKeptDraft(askId: string, isOpen: boolean): DraftView | null | undefined {
  const { data } = useFetched({
    queryKey: keyOf(askId),
    queryFn: async () => newer((await api.asks.draft(askId)) ?? null, knownOf(askId)),
    enabled: isOpen,
    gcTime: 0,
  });
  return data;
}

/** What this window has typed and the server does not have. */
export const unsavedDraft = (askId: string): DraftContent | undefined => here.get(askId);

export function useDraft(askId: string): Draft {
  const data = useKeptDraft(askId, true);
  const [taken, setTaken] = useState<Draft['taken']>();
  const [state, setState] = useState<Draft['state']>('idle');
  const waiting = useRef<DraftContent>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** One at a time: what is saved later takes the place of what is still on its way. */
  const underWay = useRef<{ content: DraftContent; stop: AbortController }>(undefined);
  /** The newest revision that is on this screen: taken up, or saved from here. */
  const shown = useRef<number>(undefined);
  /** What this window had not saved was taken up: what the server has is older. */
  const isRestored = useRef(false);

  const takeUp = useCallback(() => {
    const known = knownOf(askId);
    const isNews = shown.current !== undefined;
    // What is typed here right now is newer than any news.
    if (known === undefined || (isNews && (waiting.current ?? underWay.current))) return;
    const isOlder = !isNews && isRestored.current;
    if (known && !isOlder && known.revision > (shown.current ?? 0)) setTaken({ content: known, isNews });
    shown.current = Math.max(known?.revision ?? 0, shown.current ?? 0);
  }, [askId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known has changed
  useEffect(takeUp, [data]);

  const flush = useCallback(
    async (isLeaving: boolean) => {
      clearTimeout(timer.current);
      const content = waiting.current;
      if (content === undefined) return;
      waiting.current = undefined;
      // Its author has answered meanwhile, in the thread or another window.
      if (!isBegun(askId)) return here.drop(askId);
      underWay.current?.stop.abort();
      const own = { content, stop: new AbortController() };
      underWay.current = own;
      const { signal } = own.stop;
      const keepalive = isLeaving && JSON.stringify(content).length < CARRIED_BYTES;
      try {
        const saved = await api.asks.saveDraft(askId, content, { keepalive, signal });
        shown.current = Math.max(saved.revision, shown.current ?? 0);
        queries.setQueryData<DraftView | null>(keyOf(askId), (known) => newer(saved, known));
        if (waiting.current === undefined) {
          here.drop(askId);
          setState('saved');
        }
      } catch (error) {
        if (signal.aborted) return;
        // Whoever has answered needs no draft.
        if (error instanceof HoldpointProblem && error.status === 409) here.drop(askId);
        else setState('failed');
      }
      if (underWay.current === own) underWay.current = undefined;
      takeUp();
    },
    [askId, takeUp],
  );

  useEffect(() => {
    const leaving = () => void flush(true);
    addEventListener('pagehide', leaving);
    return () => {
      removeEventListener('pagehide', leaving);
      void flush(true);
    };
  }, [flush]);

  const save = useCallback(
    (content: DraftContent) => {
      begin(askId);
      here.keep(askId, content);
      waiting.current = content;
      setState('unsaved');
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void flush(false), PAUSE_MS);
    },
    [askId, flush],
  );
  const hold = useCallback(() => {
    clearTimeout(timer.current);
    const content = waiting.current ?? underWay.current?.content;
    underWay.current?.stop.abort();
    waiting.current = undefined;
    underWay.current = undefined;
    const drop = () => {
      here.drop(askId);
      queries.setQueryData(keyOf(askId), null);
      if (state !== 'idle') void api.asks.dropDraft(askId).catch(() => {});
    };
    return { release: () => content && save(content), drop };
  }, [askId, state, save]);
  useEffect(() => {
    const unsaved = here.get(askId);
    if (!unsaved) return;
    isRestored.current = true;
    setTaken({ content: unsaved, isNews: false });
    save(unsaved);
  }, [askId, save]);
  return { taken, state, save, hold };
}
