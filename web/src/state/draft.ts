// What the person types is kept on the server while they type: after a pause, when the card goes, and when the page is
// left. A reload or another device takes it up again. Never a secret: the form leaves those out.
import { useCallback, useEffect, useRef, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { DraftView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { queries, useFetched } from '../queries.ts';

export type DraftContent = Pick<DraftView, 'answers' | 'reason' | 'justification' | 'updated_input'>;

export interface Draft {
  /** What was kept; null when nothing was; undefined until that is known. */
  kept: DraftView | null | undefined;
  state: 'idle' | 'unsaved' | 'saved' | 'failed';
  save(content: DraftContent): void;
  /** An answer is on its way: nothing is kept any more, unless it comes to nothing. */
  hold(): { release(): void };
}

const PAUSE_MS = 300;
/** Browsers carry no more than this out of a page that is left. */
const CARRIED_BYTES = 60_000;

export function useDraft(askId: string, isOpen: boolean): Draft {
  const { data } = useFetched({
    queryKey: ['draft', askId],
    queryFn: async () => (await api.asks.draft(askId)) ?? null,
    enabled: isOpen,
    gcTime: 0,
  });
  const [state, setState] = useState<Draft['state']>('idle');
  const waiting = useRef<DraftContent>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const flush = useCallback(
    async (isLeaving: boolean) => {
      clearTimeout(timer.current);
      const content = waiting.current;
      if (content === undefined) return;
      waiting.current = undefined;
      const keepalive = isLeaving && JSON.stringify(content).length < CARRIED_BYTES;
      try {
        const saved = await api.asks.saveDraft(askId, content, { keepalive });
        queries.setQueryData(['draft', askId], saved);
        if (waiting.current === undefined) setState('saved');
      } catch (error) {
        // An ask that is answered needs no draft.
        if (!(error instanceof HoldpointProblem && error.status === 409)) setState('failed');
      }
    },
    [askId],
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
      waiting.current = content;
      setState('unsaved');
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void flush(false), PAUSE_MS);
    },
    [flush],
  );
  const hold = useCallback(() => {
    clearTimeout(timer.current);
    const content = waiting.current;
    waiting.current = undefined;
    return { release: () => content && save(content) };
  }, [save]);
  return { kept: data, state, save, hold };
}
