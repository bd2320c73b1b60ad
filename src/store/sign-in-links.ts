// Links that sign a browser in: kept as hashes, used once, forgotten a while after their end.
import type { Reader, Tx } from '../core/ports.ts';
import type { SignInLink } from '../core/sign-in.ts';
import { insertInto } from './row-statement.ts';
import type { Sql } from './sql.ts';
import type { SignInLinkRow } from './tables.ts';

const newLink = (link: SignInLink) => ({
  hash: link.hash,
  scope: link.scope,
  name: link.name ?? null,
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  used_at: link.usedAt ?? null,
});
const INSERT = insertInto('sign_in_links', newLink);

export const signInReads = (sql: Sql): Pick<Reader, 'signInLink'> => ({
  async signInLink(hash) {
    const [row] = await sql.all<SignInLinkRow>(`SELECT * FROM sign_in_links WHERE hash = ?`, [hash]);
    return row && toLink(row);
  },
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

const toLink = (row: SignInLinkRow): SignInLink => ({
  hash: row.hash,
  scope: row.scope as SignInLink['scope'],
  name: row.name ?? undefined,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at ?? undefined,
});
