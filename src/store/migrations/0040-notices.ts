// Adds notices, the contacts that they are sent to, quiet hours, and the cursor of the events whose notices were made. The
// indexes cover only unsettled notices, beside the look-ups by ask and by contact.
import type { ColumnKinds } from '../schema.ts';

export const noticeSchema = ({ position }: ColumnKinds): string[] => [
  `CREATE TABLE contacts (
    n ${position}, id TEXT NOT NULL UNIQUE, channel TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL,
    label TEXT NOT NULL, address TEXT NOT NULL, address_mac TEXT NOT NULL, token_id TEXT NOT NULL,
    may_answer INTEGER NOT NULL, settings TEXT NOT NULL, created_at BIGINT NOT NULL, ended_at BIGINT, ended_reason TEXT)`,
  `CREATE UNIQUE INDEX contacts_address ON contacts (channel, address_mac) WHERE ended_at IS NULL`,
  `CREATE TABLE notices (
    n ${position}, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL, ask_id TEXT, run_id TEXT, session_id TEXT,
    contact_id TEXT, channel TEXT, who TEXT NOT NULL, handle TEXT NOT NULL, order_key TEXT NOT NULL, batch TEXT,
    detail TEXT, state TEXT NOT NULL, reason TEXT, attempts INTEGER NOT NULL, due_at BIGINT, retry_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL, sent_at BIGINT, settled_at BIGINT)`,
  `CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX notices_order ON notices (contact_id, order_key, n) WHERE due_at IS NOT NULL`,
  `CREATE INDEX notices_ask ON notices (ask_id)`,
  `CREATE INDEX notices_contact ON notices (contact_id, n)`,
  `CREATE TABLE notice_cursor (name TEXT NOT NULL PRIMARY KEY, seq BIGINT NOT NULL)`,
  `CREATE TABLE quiet_hours (person TEXT NOT NULL PRIMARY KEY, hours TEXT NOT NULL)`,
];
