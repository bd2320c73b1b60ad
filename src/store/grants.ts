// Reads grants, and finds those that a session may use.
import type { GrantReads } from '../core/grant-store.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { GRANT, type Tables } from './tables.ts';

/** What one call is compared with. */
const MOST = 1000;
/** A session's person is the one whose token created it. */
const FOR = `SELECT * FROM grants
  WHERE target IN (?, ?, 'person:' || (SELECT COALESCE(person, name) FROM tokens WHERE id = ?)) AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > ?) AND (most_uses IS NULL OR uses < most_uses) ORDER BY n LIMIT ${MOST}`;

export function grantReads(sql: Sql): GrantReads {
  const { many } = rowReads(sql);
  const positioned = (row: Tables['grants']) => ({ at: row.n, value: GRANT.read(row) });
  return {
    grants: ({ sessionId }, { after = 0, limit }) =>
      sessionId === undefined
        ? many(`SELECT * FROM grants WHERE n > ? ORDER BY n LIMIT ${limit}`, [after], positioned)
        : many(
            `SELECT * FROM grants WHERE session_id = ? AND n > ? ORDER BY n LIMIT ${limit}`,
            [sessionId, after],
            positioned,
          ),
    grantsFor: ({ session, project, madeBy }, now) =>
      many(FOR, [session, project ?? null, madeBy ?? null, now], GRANT.read),
  };
}
