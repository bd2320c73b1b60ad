// Drafts: one for each ask and person, the last save wins. A table of what is being typed, so it stays small.
import type { Draft } from '../core/draft.ts';
import type { Reader, Tx } from '../core/ports.ts';
import { insertInto } from './row-statement.ts';
import type { Sql } from './sql.ts';
import type { DraftRow } from './tables.ts';

const newDraft = (d: Draft) => ({
  ask_id: d.askId,
  revision: d.revision,
  content: JSON.stringify(d.content),
  saved_at: d.savedAt,
  saved_by: d.savedBy,
});
const SAVE = insertInto(
  'drafts',
  newDraft,
  `ON CONFLICT (ask_id, saved_by)
   DO UPDATE SET revision = excluded.revision, content = excluded.content, saved_at = excluded.saved_at`,
);
/** Old ones, and those of whoever answered. The answer is JSON: REPLACE finds the author in it without any wildcard. */
const FORGET = `DELETE FROM drafts WHERE saved_at <= ? OR EXISTS (SELECT 1 FROM asks a WHERE a.id = drafts.ask_id
  AND a.status IN ('answered', 'declined')
  AND REPLACE(a.answer, '"answered_by":"' || drafts.saved_by || '"', '') <> a.answer)`;

export const draftReads = (sql: Sql): Pick<Reader, 'draft'> => ({
  async draft(askId, author) {
    const [row] = await sql.all<DraftRow>(`SELECT * FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author]);
    return row && toDraft(row);
  },
});

export const draftWrites = (sql: Sql): Pick<Tx, 'saveDraft' | 'deleteDraft' | 'forgetDrafts'> => ({
  async saveDraft(draft) {
    await sql.run(...SAVE(draft));
  },
  deleteDraft: async (askId, author) =>
    (await sql.run(`DELETE FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author])) > 0,
  forgetDrafts: (before) => sql.run(FORGET, [before]),
});

const toDraft = (row: DraftRow): Draft => ({
  askId: row.ask_id,
  revision: row.revision,
  content: JSON.parse(row.content),
  savedAt: row.saved_at,
  savedBy: row.saved_by,
});
