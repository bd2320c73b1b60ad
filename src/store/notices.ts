// Reads notices, contacts, quiet hours and the cursor of notices. unit.ts writes them.
import { ATTEMPTS_COUNTED_ON, LATE_MS } from '../core/notice.ts';
import type { NoticeReads } from '../core/notice-store.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { CONTACT, NOTICE, type Tables } from './tables.ts';

/** One contact is sent the notices of one order key one after the other. */
const DUE = (limit: number, except: number) => `SELECT * FROM notices d WHERE d.due_at <= ?
  ${except > 0 ? `AND (d.contact_id IS NULL OR d.contact_id NOT IN (${Array(except).fill('?').join(', ')}))` : ''} AND NOT EXISTS (
    SELECT 1 FROM notices e WHERE e.contact_id = d.contact_id AND e.order_key = d.order_key AND e.n < d.n
      AND e.due_at IS NOT NULL)
  ORDER BY d.due_at, d.n LIMIT ${limit}`;

/** Those behind one that is tried in vain are late. */
const UNREACHED = (limit: number) => `SELECT a.id FROM asks a WHERE a.status = 'pending'
  AND EXISTS (SELECT 1 FROM notices f WHERE f.ask_id = a.id AND (f.state = 'failed' OR f.due_at IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM notices t WHERE t.ask_id = a.id AND (
    (t.state = 'accepted' AND t.event <> 'step')
    OR (t.due_at IS NOT NULL AND t.event = 'step')
    OR (t.due_at > ? AND t.attempts < ${ATTEMPTS_COUNTED_ON})))
  ORDER BY a.n LIMIT ${limit}`;

/** Enough to see a flood, and few enough to look at for each ask. Notices of one batch that wait are one message. */
const UNANSWERED = `SELECT DISTINCT CASE WHEN n.attempts = 0 THEN COALESCE(n.batch, n.handle) ELSE n.handle END AS message,
    n.session_id, s.agent
  FROM (SELECT * FROM notices WHERE contact_id = ? ORDER BY n DESC LIMIT 200) n
  JOIN asks a ON a.id = n.ask_id JOIN sessions s ON s.id = n.session_id
  WHERE n.event IN ('ask.raised', 'ask.escalated') AND n.created_at > ? AND a.status IN ('pending', 'expired')`;

const OF_HANDLE = `SELECT DISTINCT a.id, a.session_id, a.n FROM notices n JOIN asks a ON a.id = n.ask_id
  WHERE n.contact_id = ? AND n.handle = ? AND n.event <> 'ask.ended' AND a.status = 'pending' ORDER BY a.n`;

export function noticeReads(sql: Sql): NoticeReads {
  const { one, many } = rowReads(sql);
  const idOf = (row: { id: string }) => row.id;
  return {
    contacts: () =>
      many(`SELECT * FROM contacts WHERE ended_at IS NULL OR ended_reason IS NOT NULL ORDER BY n`, [], CONTACT.read),
    noticesOfAsk: (askId, most) =>
      many(
        `SELECT * FROM notices WHERE ask_id = ? ORDER BY n ${most === undefined ? '' : `LIMIT ${most}`}`,
        [askId],
        NOTICE.read,
      ),
    noticesOf: (contactId, { after = Number.MAX_SAFE_INTEGER, limit }) =>
      many(
        `SELECT * FROM notices WHERE contact_id = ? AND n < ? ORDER BY n DESC LIMIT ${limit}`,
        [contactId, after],
        (row: Tables['notices']) => ({ at: row.n, value: NOTICE.read(row) }),
      ),
    dueNotices: (now, limit, except = []) => many(DUE(limit, except.length), [now, ...except], NOTICE.read),
    noticesDueAt: (person, at) =>
      many(
        `SELECT n.* FROM notices n JOIN contacts c ON c.id = n.contact_id
          WHERE n.due_at = ? AND n.state = 'due' AND c.person = ? ORDER BY n.n`,
        [at, person],
        NOTICE.read,
      ),
    batch: (contactId, batch, now) =>
      many(
        `SELECT * FROM notices WHERE contact_id = ? AND batch = ? AND state = 'due' AND due_at <= ? ORDER BY n LIMIT 500`,
        [contactId, batch, now],
        NOTICE.read,
      ),
    batchSentAt: (contactId, batch) =>
      one(`SELECT MAX(sent_at) AS at FROM notices WHERE contact_id = ? AND batch = ?`, [contactId, batch], instantOf),
    unansweredMessages: (contactId, since) =>
      many(UNANSWERED, [contactId, since], (row: { message: string; session_id: string; agent: string }) => ({
        message: row.message,
        sessionId: row.session_id,
        agent: row.agent,
      })),
    asksOfHandle: (contactId, handle) =>
      many(OF_HANDLE, [contactId, handle], (row: Pick<Tables['asks'], 'id' | 'session_id'>) => ({
        id: row.id,
        sessionId: row.session_id,
      })),
    unreachedAsks: (now, limit) => many(UNREACHED(limit), [now - LATE_MS], idOf),
    async noticeCounts() {
      const rows = await sql.all<{ state: string; n: number }>(
        `SELECT state, COUNT(*) AS n FROM notices GROUP BY state`,
        [],
      );
      return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
    },
    noticeCursor: () => one(`SELECT seq AS at FROM notice_cursor WHERE name = 'events'`, [], instantOf),
    quietHours: () =>
      many(`SELECT * FROM quiet_hours`, [], (row: Tables['quiet_hours']) => ({
        person: row.person,
        hours: JSON.parse(row.hours),
      })),
  };
}

const instantOf = (row: { at: number | null }): number | undefined => row.at ?? undefined;
