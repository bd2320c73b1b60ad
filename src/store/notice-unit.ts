// The part of a unit that writes notices, contacts, quiet hours and the cursor of notices. A notice changes by
// compare-and-set on its state and attempts, so that two servers never send the same attempt: the unit looks, and what it
// found must still be so at the commit.
import type { Contact, Notice } from '../core/notice.ts';
import type { NoticeWrites } from '../core/notice-store.ts';
import type { QuietHours } from '../core/quiet-hours.ts';
import { AskUnit } from './ask-unit.ts';
import { insertInto, updateById } from './row-mapping.ts';
import { CONTACT, NOTICE } from './tables.ts';

const INSERT_CONTACT = insertInto(CONTACT);
const UPDATE_CONTACT = updateById(CONTACT, [
  'name',
  'label',
  'address',
  'token_id',
  'may_answer',
  'settings',
  'ended_at',
  'ended_reason',
]);
const INSERT = insertInto(NOTICE);
const CHANGED = [
  'handle',
  'order_key',
  'state',
  'reason',
  'attempts',
  'due_at',
  'retry_until',
  'sent_at',
  'settled_at',
] as const;
const VALUES = NOTICE.values([...CHANGED, 'id']);
const REPLACE = `UPDATE notices SET ${CHANGED.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ? AND state = ? AND attempts = ?`;

const MOVE_CURSOR = `UPDATE notice_cursor SET seq = ? WHERE name = 'events' AND seq = ?`;
const SET_CURSOR = `INSERT INTO notice_cursor (name, seq) VALUES ('events', ?)
  ON CONFLICT (name) DO UPDATE SET seq = EXCLUDED.seq`;

export class NoticeUnit extends AskUnit implements NoticeWrites {
  readonly #notices = new Map<string, Notice>();

  insertContact(contact: Contact): void {
    this.change(...INSERT_CONTACT(contact));
  }

  updateContact(contact: Contact): void {
    this.change(...UPDATE_CONTACT(contact));
  }

  async notice(id: string): Promise<Notice | undefined> {
    return this.#notices.get(id) ?? this.reader.notice(id);
  }

  async insertNotice(notice: Notice): Promise<boolean> {
    if (await this.notice(notice.id)) return false;
    this.#notices.set(notice.id, notice);
    this.change(...INSERT(notice));
    return true;
  }

  async replaceNotice(before: Notice, after: Notice): Promise<boolean> {
    await this.context.lock(`notice ${before.id}`);
    const current = await this.notice(before.id);
    if (current?.state !== before.state || current.attempts !== before.attempts) return false;
    this.#notices.set(after.id, after);
    this.change(REPLACE, [...VALUES(after), before.state, before.attempts], true);
    return true;
  }

  async moveNoticeCursor(from: number | undefined, to: number): Promise<boolean> {
    if (from === undefined) {
      this.change(SET_CURSOR, [to]);
      return true;
    }
    await this.context.lock('notice cursor');
    if ((await this.reader.noticeCursor()) !== from) return false;
    this.change(MOVE_CURSOR, [to, from], true);
    return true;
  }

  saveQuietHours(person: string, hours: QuietHours | undefined): void {
    this.change(`DELETE FROM quiet_hours WHERE person = ?`, [person]);
    if (hours) this.change(`INSERT INTO quiet_hours (person, hours) VALUES (?, ?)`, [person, JSON.stringify(hours)]);
  }

  forgetNotices(before: number): Promise<number> {
    return this.forget(`notices WHERE settled_at < ?`, before);
  }
}
