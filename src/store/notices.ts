// Stores notices, contacts, quiet hours and the cursor of notices. A notice changes by compare-and-set on its state and
// attempts, so that two servers never send the same attempt.
import type { Notice } from '../core/notice.ts';
import type { NoticeReads, NoticeWrites } from '../core/notice-store.ts';
import { insertInto, updateById } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { CONTACT, NOTICE, type Tables } from './tables.ts';

const INSERT_CONTACT = insertInto(CONTACT);
const UPDATE_CONTACT = updateById(CONTACT, [
  'name',
  'label',
  'token_id',
  'may_answer',
  'settings',
  'ended_at',
  'ended_reason',
]);
const INSERT = insertInto(NOTICE, 'ON CONFLICT (id) DO NOTHING');
const CHANGED = ['handle', 'state', 'reason', 'attempts', 'due_at', 'retry_until', 'sent_at', 'settled_at'] as const;
const VALUES = NOTICE.values([...CHANGED, 'id']);
const REPLACE = `UPDATE notices SET ${CHANGED.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ? AND state = ? AND attempts = ?`;

/** One contact is sent the notices of one order key one after the other. */
const DUE = (limit: number) => `SELECT * FROM notices d WHERE d.due_at <= ? AND NOT EXISTS (
    SELECT 1 FROM notices e WHERE e.contact_id = d.contact_id AND e.order_key = d.order_key AND e.n < d.n
      AND e.due_at IS NOT NULL)
  ORDER BY d.due_at, d.n LIMIT ${limit}`;

const UNREACHED = (limit: number) => `SELECT a.id FROM asks a WHERE a.status = 'pending'
  AND EXISTS (SELECT 1 FROM notices f WHERE f.ask_id = a.id AND f.state = 'failed')
  AND NOT EXISTS (SELECT 1 FROM notices t WHERE t.ask_id = a.id 
    AND (t.due_at IS NOT NULL OR (t.state = 'accepted' AND t.event <> 'step')))
  ORDER BY a.n LIMIT ${limit}`;

const OF_HANDLE = `SELECT a.id FROM notices n JOIN asks a ON a.id = n.ask_id
  WHERE n.contact_id = ? AND n.handle = ? AND n.event <> 'ask.ended' AND a.status = 'pending' ORDER BY n.n`;

const CANCEL = (channels: number) => `UPDATE notices SET state = 'cancelled', reason = ?, due_at = NULL, settled_at = ?
  WHERE ask_id = ? AND state = 'due' AND attempts = 0 AND event <> 'ask.ended'
    AND (channel IS NULL OR channel IN (${Array(channels).fill('?').join(', ')}))`;

export function noticeReads(sql: Sql): NoticeReads {
  const { one, many } = rowReads(sql);
  const idOf = (row: { id: string }) => row.id;
  return {
    contact: (id) => one(`SELECT * FROM contacts WHERE id = ?`, [id], CONTACT.read),
    contacts: () => many(`SELECT * FROM contacts WHERE ended_at IS NULL ORDER BY n`, [], CONTACT.read),
    notice: (id) => one(`SELECT * FROM notices WHERE id = ?`, [id], NOTICE.read),
    noticesOfAsk: (askId) => many(`SELECT * FROM notices WHERE ask_id = ? ORDER BY n LIMIT 500`, [askId], NOTICE.read),
    noticesOf: (contactId, { after = Number.MAX_SAFE_INTEGER, limit }) =>
      many(
        `SELECT * FROM notices WHERE contact_id = ? AND n < ? ORDER BY n DESC LIMIT ${limit}`,
        [contactId, after],
        (row: Tables['notices']) => ({ at: row.n, value: NOTICE.read(row) }),
      ),
    dueNotices: (now, limit) => many(DUE(limit), [now], NOTICE.read),
    nextNoticeAt: () => one(`SELECT MIN(due_at) AS at FROM notices WHERE due_at IS NOT NULL`, [], instantOf),
    batch: (contactId, batch, now) =>
      many(
        `SELECT * FROM notices WHERE contact_id = ? AND batch = ? AND state = 'due' AND due_at <= ? ORDER BY n LIMIT 500`,
        [contactId, batch, now],
        NOTICE.read,
      ),
    batchSentAt: (contactId, batch) =>
      one(`SELECT MAX(sent_at) AS at FROM notices WHERE contact_id = ? AND batch = ?`, [contactId, batch], instantOf),
    asksOfHandle: (contactId, handle) => many(OF_HANDLE, [contactId, handle], idOf),
    unreachedAsks: (limit) => many(UNREACHED(limit), [], idOf),
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

export const noticeWrites = (sql: Sql): NoticeWrites => ({
  async insertContact(contact) {
    await sql.run(...INSERT_CONTACT(contact));
  },
  async updateContact(contact) {
    await sql.run(...UPDATE_CONTACT(contact));
  },
  insertNotice: async (notice) => (await sql.run(...INSERT(notice))) > 0,
  replaceNotice: async (before: Notice, after: Notice) =>
    (await sql.run(REPLACE, [...VALUES(after), before.state, before.attempts])) > 0,
  async cancelNotices(askId, channels, reason, now) {
    await sql.run(CANCEL(channels.length), [reason, now, askId, ...channels]);
  },
  async moveNoticeCursor(from, to) {
    if (from !== undefined)
      return (await sql.run(`UPDATE notice_cursor SET seq = ? WHERE name = 'events' AND seq = ?`, [to, from])) > 0;
    const text = `INSERT INTO notice_cursor (name, seq) VALUES ('events', ?)
      ON CONFLICT (name) DO UPDATE SET seq = EXCLUDED.seq`;
    return (await sql.run(text, [to])) > 0;
  },
  async saveQuietHours(person, hours) {
    await sql.run(`DELETE FROM quiet_hours WHERE person = ?`, [person]);
    if (hours) await sql.run(`INSERT INTO quiet_hours (person, hours) VALUES (?, ?)`, [person, JSON.stringify(hours)]);
  },
  forgetNotices: (before) => sql.run(`DELETE FROM notices WHERE settled_at < ?`, [before]),
});
