// Reads drafts of answers: one for each ask and person.
import type { Reader } from '../core/ports.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { DRAFT } from './tables.ts';

export const draftReads = (sql: Sql): Pick<Reader, 'draft'> => ({
  draft: (askId, author) =>
    rowReads(sql).one(`SELECT * FROM drafts WHERE ask_id = ? AND saved_by = ?`, [askId, author], DRAFT.read),
});
