// Drafts: one for each ask, the last save wins. A table of what is being typed, so it stays small.
import type { Draft } from '../core/draft.ts';
import type { Reader, Tx } from '../core/ports.ts';
import type { Sql } from './sql.ts';
import type { DraftRow } from './tables.ts';

const SAVE = `INSERT INTO drafts (ask_id, revision, content, saved_at, saved_by) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (ask_id) DO UPDATE SET revision = excluded.revision, content = excluded.content,
    saved_at = excluded.saved_at, saved_by = excluded.saved_by`;
const FORGET = `DELETE FROM drafts WHERE saved_at <= ?
  OR ask_id IN (SELECT d.ask_id FROM drafts d JOIN asks a ON a.id = d.ask_id WHERE a.status IN ('answered', 'declined'))`;

export const draftReads = (sql: Sql): Pick<Reader, 'draft'> => ({
  async draft(askId) {
    const [row] = await sql.all<DraftRow>(`SELECT * FROM drafts WHERE ask_id = ?`, [askId]);
    return row && toDraft(row);
  },
});

export const draftWrites = (sql: Sql): Pick<Tx, 'saveDraft' | 'deleteDraft' | 'forgetDrafts'> => ({
  async saveDraft(d) {
    await sql.run(SAVE, [d.askId, d.revision, JSON.stringify(d.content), d.savedAt, d.savedBy]);
  },
  deleteDraft: async (askId) => (await sql.run(`DELETE FROM drafts WHERE ask_id = ?`, [askId])) > 0,
  forgetDrafts: (before) => sql.run(FORGET, [before]),
});

const toDraft = (row: DraftRow): Draft => ({
  askId: row.ask_id,
  revision: row.revision,
  content: JSON.parse(row.content),
  savedAt: row.saved_at,
  savedBy: row.saved_by,
});
