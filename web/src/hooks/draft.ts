// Saves what the person types as a draft on the server: after a pause, when the card unmounts, and when the page is left.
// Until the server has it, it is also in this tab's session storage. A reload restores it, and the person's other windows
// follow it; the last edit wins. Secrets are never in a draft: the form leaves them out.
import { useCallback, useEffect, useRef, useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { DraftView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { onDraft } from './live-inbox.ts';
import { queries, useFetched } from './queries.ts';
import { isTouched, touch } from './touched-asks.ts';

export type DraftContent = Pick<DraftView, 'answers' | 'reason' | 'justification' | 'updated_input'>;

/** A draft to fill in. `isNewer`: typed in another window after this one was opened, so it replaces what is here. */
export interface IncomingDraft {
  content: DraftContent;
  isNewer: boolean;
}

export interface Draft {
  incoming: IncomingDraft | undefined;
  state: 'idle' | 'unsaved' | 'saved' | 'failed';
  save(content: DraftContent): void;
  /** Stops saving while an answer is sent. `resume` after a refusal; `drop` deletes the draft once it was accepted. */
  suspend(): { resume(): void; drop(): void };
}

/** Nothing is left of what was typed: it is saved, so that no other window shows it, and not called a draft. */
const isEmpty = ({ answers = [], reason, justification, updated_input }: DraftContent): boolean =>
  answers.every(({ selected_option_ids, freeform_answer }) => !selected_option_ids?.length && !freeform_answer) &&
  !reason &&
  !justification &&
  updated_input === undefined;

const PAUSE_MS = 300;
/** Browsers limit what a request with `keepalive` carries. */
const MAX_KEEPALIVE_BYTES = 60_000;

/** What the server may not have yet: a page that is left does not wait, and the next one may load before it arrives. */
const local = {
  keyOf: (askId: string) => `holdpoint-draft-${askId}`,
  get(askId: string): DraftContent | undefined {
    const text = sessionStorage.getItem(local.keyOf(askId));
    return text === null ? undefined : (JSON.parse(text) as DraftContent);
  },
  set(askId: string, content: DraftContent): void {
    try {
      sessionStorage.setItem(local.keyOf(askId), JSON.stringify(content));
    } catch {
      local.remove(askId); // The quota is used up. A reload may not restore an older text.
    }
  },
  remove: (askId: string) => sessionStorage.removeItem(local.keyOf(askId)),
};

const keyOf = (askId: string) => ['draft', askId];
const cachedDraft = (askId: string) => queries.getQueryData<DraftView | null>(keyOf(askId));
/** Replies may arrive out of order; revisions only grow. */
const newerOf = (a: DraftView | null, b: DraftView | null | undefined): DraftView | null =>
  b && b.revision > (a?.revision ?? 0) ? b : a;

onDraft(({ ask_id, revision }) => {
  const cached = cachedDraft(ask_id);
  if (revision !== undefined && revision > (cached?.revision ?? 0))
    void queries.invalidateQueries({ queryKey: keyOf(ask_id) });
});

/** The draft on the server; null where there is none; undefined until that is known. */
export function useSavedDraft(askId: string, isEnabled: boolean): DraftView | null | undefined {
  const { data } = useFetched({
    queryKey: keyOf(askId),
    queryFn: async () => newerOf((await api.asks.draft(askId)) ?? null, cachedDraft(askId)),
    enabled: isEnabled,
    gcTime: 0,
  });
  return data;
}

/** What was typed in this tab and the server does not have. */
export const unsavedDraft = (askId: string): DraftContent | undefined => local.get(askId);

export function useDraft(askId: string): Draft {
  const data = useSavedDraft(askId, true);
  const [incoming, setIncoming] = useState<IncomingDraft>();
  const [state, setState] = useState<Draft['state']>('idle');
  /** The server may have a draft of this person. */
  const isStored = useRef(false);
  const unsent = useRef<DraftContent>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** One request at a time: a later one aborts and replaces it. */
  const inFlight = useRef<{ content: DraftContent; abort: AbortController }>(undefined);
  /** The newest revision that this card has filled in or saved itself. */
  const shownRevision = useRef<number>(undefined);
  /** What was typed or dropped since leaves nothing to resume. */
  const suspended = useRef<object>(undefined);
  /** The local copy was filled in: the server's draft is older. */
  const isRestored = useRef(false);

  const fillIn = useCallback(() => {
    const cached = cachedDraft(askId);
    const isNewer = shownRevision.current !== undefined;
    // What is being typed here is newer than any other window's draft.
    if (cached === undefined || (isNewer && (unsent.current ?? inFlight.current))) return;
    isStored.current ||= cached !== null;
    const isOlder = !isNewer && isRestored.current;
    if (cached && !isOlder && cached.revision > (shownRevision.current ?? 0)) setIncoming({ content: cached, isNewer });
    shownRevision.current = Math.max(cached?.revision ?? 0, shownRevision.current ?? 0);
  }, [askId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the cached draft has changed
  useEffect(fillIn, [data]);

  const flush = useCallback(
    async (isLeaving: boolean) => {
      clearTimeout(timer.current);
      const content = unsent.current;
      if (content === undefined) return;
      unsent.current = undefined;
      // The person has answered meanwhile, in the thread or in another window.
      if (!isTouched(askId)) return local.remove(askId);
      inFlight.current?.abort.abort();
      const own = { content, abort: new AbortController() };
      inFlight.current = own;
      const { signal } = own.abort;
      const keepalive = isLeaving && JSON.stringify(content).length < MAX_KEEPALIVE_BYTES;
      try {
        const saved = await api.asks.saveDraft(askId, content, { keepalive, signal });
        shownRevision.current = Math.max(saved.revision, shownRevision.current ?? 0);
        queries.setQueryData<DraftView | null>(keyOf(askId), (cached) => newerOf(saved, cached));
        if (unsent.current === undefined) {
          local.remove(askId);
          setState(isEmpty(content) ? 'idle' : 'saved');
        }
      } catch (error) {
        if (signal.aborted) return;
        // This person has answered the ask, so the server refuses their draft.
        if (error instanceof HoldpointProblem && error.status === 409) local.remove(askId);
        else setState('failed');
      }
      if (inFlight.current === own) inFlight.current = undefined;
      fillIn();
    },
    [askId, fillIn],
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
      touch(askId);
      suspended.current = undefined;
      local.set(askId, content);
      unsent.current = content;
      isStored.current = true;
      setState(isEmpty(content) ? 'idle' : 'unsaved');
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void flush(false), PAUSE_MS);
    },
    [askId, flush],
  );
  const suspend = useCallback(() => {
    clearTimeout(timer.current);
    const content = unsent.current ?? inFlight.current?.content;
    inFlight.current?.abort.abort();
    unsent.current = undefined;
    inFlight.current = undefined;
    const drop = () => {
      local.remove(askId);
      queries.setQueryData(keyOf(askId), null);
      setState('idle');
      if (isStored.current) void api.asks.dropDraft(askId).catch(() => {});
      isStored.current = false;
    };
    const own = { resume: () => void (content && suspended.current === own && save(content)), drop };
    suspended.current = own;
    return own;
  }, [askId, save]);
  useEffect(() => {
    const unsaved = local.get(askId);
    if (!unsaved) return;
    isRestored.current = true;
    setIncoming({ content: unsaved, isNewer: false });
    save(unsaved);
  }, [askId, save]);
  return { incoming, state, save, suspend };
}
