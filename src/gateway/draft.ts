// Saves, shows and drops drafts: text that a person has typed and not sent, shared with that person's other devices. They
// are not in the log. A draft outlives the end of the ask, unless its own author answered.
import { type Draft, type DraftContent, draftRefusal, isSpent } from '../core/draft.ts';
import { enforce } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { DraftView } from '../core/views.ts';
import { openAsk } from './ledger.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { askRecord } from './records.ts';

/** Drafts belong to the person, and show their name. */
type Drafter = Pick<Actor, 'name' | 'person'>;

/** Undefined where nothing was typed: no error. */
export function showDraft(ports: Ports, askId: string, author: Drafter): Promise<DraftView | undefined> {
  return ports.store.read(async (r) => {
    if (isSpent(await askRecord(r, askId), author.name)) return undefined;
    const draft = await r.get('draft', askId, author.person);
    return draft && draftView(draft, author);
  });
}

export interface Saving {
  askId: string;
  content: DraftContent;
  author: Drafter;
  key?: Key | undefined;
}

/** The last save wins; by its revision the author's other devices know that theirs is older. */
export function saveDraft(ports: Ports, { askId, content, author, key }: Saving): Promise<Reply<DraftView>> {
  return mutate(ports, key, async (tx) => {
    // Under the session's lock, so that two concurrent saves get two revisions.
    const { ask, ledger } = await openAsk(ports, tx, askId);
    enforce(draftRefusal(ask, content, author.name));
    const before = await tx.get('draft', askId, author.person);
    const revision = (before?.revision ?? 0) + 1;
    const draft: Draft = { askId, revision, content, savedAt: ledger.now, savedBy: author.person };
    await tx.save('draft', draft);
    return ok(draftView(draft, author));
  });
}

/** False where there was none. */
export function dropDraft(ports: Ports, askId: string, { person }: Drafter): Promise<boolean> {
  return ports.store.write(async (tx) => {
    await askRecord(tx, askId);
    if (!(await tx.get('draft', askId, person))) return false;
    await tx.remove('draft', askId, person);
    return true;
  });
}

const draftView = (draft: Draft, { name }: Drafter): DraftView => ({
  ask_id: draft.askId,
  revision: draft.revision,
  ...draft.content,
  saved_at_ms: draft.savedAt,
  saved_by: name,
});
