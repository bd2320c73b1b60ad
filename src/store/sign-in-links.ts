// Reads the links that sign a browser in, which are stored as hashes.
import type { Reader } from '../core/ports.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { SIGN_IN_LINK } from './tables.ts';

export const signInReads = (sql: Sql): Pick<Reader, 'signInLink'> => ({
  signInLink: (hash) => rowReads(sql).one(`SELECT * FROM sign_in_links WHERE hash = ?`, [hash], SIGN_IN_LINK.read),
});
