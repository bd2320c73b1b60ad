// Reads the rows of a session as they are stored, for the audit. Secret answers and what compares them are left out.
import type { RecordReads } from '../core/ports.ts';
import type { Row } from '../core/row-audit.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { Sql } from './sql.ts';
import { ASK, GRANT, RUN, SESSION, TOKEN } from './tables.ts';

const SECRET = ['sealed', 'answer_mac'];
const COLUMNS = {
  sessions: SESSION.columns,
  runs: RUN.columns,
  asks: ASK.columns.filter((column) => !SECRET.includes(column)),
  grants: GRANT.columns,
  tokens: TOKEN.columns,
};
/** Which rows are a session's. All tokens are those of the system session, in whose log they are. */
const OWN = {
  sessions: 'id = ?',
  runs: 'session_id = ?',
  asks: 'session_id = ?',
  grants: 'session_id = ?',
  tokens: `'${SYSTEM_SESSION}' = ?`,
};

export const recordReads = (sql: Sql): RecordReads => ({
  records(table, sessionId, after, limit) {
    const text = `SELECT n, ${COLUMNS[table].join(', ')} FROM ${table} WHERE ${OWN[table]} AND n > ? ORDER BY n LIMIT ${limit}`;
    return sql.all<Row>(text, [sessionId, after]);
  },
  async eventCount(sessionId) {
    const [row] = await sql.all<{ n: number }>('SELECT COUNT(*) AS n FROM session_events WHERE session_id = ?', [
      sessionId,
    ]);
    return row?.n ?? 0;
  },
  unsealedSessions: (limit) => sql.all(`SELECT id FROM sessions WHERE head_mac IS NULL ORDER BY n LIMIT ${limit}`, []),
});
