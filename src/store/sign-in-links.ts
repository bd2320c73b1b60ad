// Stores the links that sign a browser in: as hashes, used once, deleted some time after they expire.
import type { Reader } from '../core/ports.ts';
import { insertInto } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { SIGN_IN_LINK } from './tables.ts';

export const INSERT_LINK = insertInto(SIGN_IN_LINK);
export const USE_LINK = `UPDATE sign_in_links SET used_at = ? WHERE hash = ?`;
export const FORGET_LINKS = `sign_in_links WHERE expires_at <= ?`;

export const signInReads = (sql: Sql): Pick<Reader, 'signInLink'> => ({
  signInLink: (hash) => rowReads(sql).one(`SELECT * FROM sign_in_links WHERE hash = ?`, [hash], SIGN_IN_LINK.read),
});
