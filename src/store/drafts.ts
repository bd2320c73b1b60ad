// Stores drafts of answers: one for each ask and person, the last save wins. Sent and old ones are deleted.
import type { Reader, Tx } from '../core/ports.ts';
import { insertInto } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { DRAFT } from './tables.ts';

const SAVE = insertInto(
  DRAFT,
  `ON CONFLICT (ask_id, saved_by)
   DO UPDATE SET revision = excluded.revision, content = excluded.content, saved_at = excluded.saved_at`,
);
/** Old drafts, and those whose author has answered. The answer is JSON: REPLACE finds the author without a wildcard. */
const FORGET = `DELETE FROM drafts WHERE saved_at <= ? OR EXISTS (SELECT 1 FROM asks a WHERE a.id = drafts.ask_id
  AND a.status IN ('answered', 'declined')
  AND REPLACE(a.answer, '"answered_by":"' || drafts.saved_by || '"', '') <> a.answer)`;

export const draftReads = (sql: Sql): Pick<Reader, 'draft'> => ({
  draft: (askId, author) =>
    rowReads(sql).one(`SELECT * FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author], DRAFT.read),
});

export const draftWrites = (sql: Sql): Pick<Tx, 'saveDraft' | 'deleteDraft' | 'forgetDrafts'> => ({
  async saveDraft(draft) {
    await sql.run(...SAVE(draft));
  },
  deleteDraft: async (askId, author) =>
    (await sql.run(`DELETE FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author])) > 0,
  forgetDrafts: (before) => sql.run(FORGET, [before]),
});
