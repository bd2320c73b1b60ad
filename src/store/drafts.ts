// Stores drafts of answers: one for each ask and person, the last save wins. Sent and old ones are deleted.
import type { Reader } from '../core/ports.ts';
import { insertInto } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { DRAFT } from './tables.ts';

export const SAVE_DRAFT = insertInto(
  DRAFT,
  `ON CONFLICT (ask_id, saved_by)
   DO UPDATE SET revision = excluded.revision, content = excluded.content, saved_at = excluded.saved_at`,
);
export const DELETE_DRAFT = `DELETE FROM drafts WHERE ask_id = ? AND saved_by = ?`;
/** Old drafts, and those whose author has answered. The answer is JSON: REPLACE finds the author without a wildcard. */
export const FORGET_DRAFTS = `drafts WHERE saved_at <= ? OR EXISTS (SELECT 1 FROM asks a WHERE a.id = drafts.ask_id
  AND a.status IN ('answered', 'declined')
  AND REPLACE(a.answer, '"answered_by":"' || drafts.saved_by || '"', '') <> a.answer)`;

export const draftReads = (sql: Sql): Pick<Reader, 'draft'> => ({
  draft: (askId, author) =>
    rowReads(sql).one(`SELECT * FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author], DRAFT.read),
});
