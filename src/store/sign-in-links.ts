// Stores the links that sign a browser in: as hashes, used once, deleted some time after they expire.
import type { Reader, Tx } from '../core/ports.ts';
import { insertInto } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { SIGN_IN_LINK } from './tables.ts';

const INSERT = insertInto(SIGN_IN_LINK);

export const signInReads = (sql: Sql): Pick<Reader, 'signInLink'> => ({
  signInLink: (hash) => rowReads(sql).one(`SELECT * FROM sign_in_links WHERE hash = ?`, [hash], SIGN_IN_LINK.read),
});

export const signInWrites = (sql: Sql): Pick<Tx, 'insertSignInLink' | 'useSignInLink' | 'forgetSignInLinks'> => ({
  async insertSignInLink(link) {
    await sql.run(...INSERT(link));
  },
  async useSignInLink(hash, now) {
    await sql.run(`UPDATE sign_in_links SET used_at = ? WHERE hash = ?`, [now, hash]);
  },
  forgetSignInLinks: (before) => sql.run(`DELETE FROM sign_in_links WHERE expires_at <= ?`, [before]),
});
