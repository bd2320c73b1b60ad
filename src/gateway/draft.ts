// What a person has typed and not sent: saved, shown to the person's other devices, dropped. No part of the log: it is
// nobody's decision yet. It outlives every end of the ask, except that its own author answered it.
import { type Draft, type DraftContent, draftRefusal, isSpent } from '../core/draft.ts';
import { HoldpointError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { DraftView } from '../core/views.ts';
import { openAsk } from './ledger.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { askRecord } from './records.ts';

/** Nothing typed is the usual state of an ask, and no error. */
export function showDraft(ports: Ports, askId: string, author: string): Promise<DraftView | undefined> {
  return ports.store.read(async (r) => {
    if (isSpent(await askRecord(r, askId), author)) return undefined;
    const draft = await r.draft(askId, author);
    return draft && draftView(draft);
  });
}

export interface Saving {
  askId: string;
  content: DraftContent;
  author: string;
  key?: Key | undefined;
}

/** The last save wins; the revision tells the author's other devices that they were overtaken. */
export function saveDraft(ports: Ports, { askId, content, author, key }: Saving): Promise<Reply<DraftView>> {
  return mutate(ports, key, async (tx) => {
    // Under the session's lock, so that two who save at once get two revisions.
    const { ask, ledger } = await openAsk(ports, tx, askId);
    const refusal = draftRefusal(ask, content, author);
    if (refusal) throw new HoldpointError(refusal);
    const before = await tx.draft(askId, author);
    const revision = (before?.revision ?? 0) + 1;
    const draft: Draft = { askId, revision, content, savedAt: ledger.now, savedBy: author };
    await tx.saveDraft(draft);
    return ok(draftView(draft));
  });
}

/** Whether there was one. */
export function dropDraft(ports: Ports, askId: string, author: string): Promise<boolean> {
  return ports.store.write(async (tx) => {
    await askRecord(tx, askId);
    return tx.deleteDraft(askId, author);
  });
}

const draftView = (draft: Draft): DraftView => ({
  ask_id: draft.askId,
  revision: draft.revision,
  ...draft.content,
  saved_at_ms: draft.savedAt,
  saved_by: draft.savedBy,
});
