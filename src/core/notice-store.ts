// Declares what the store keeps of notices and contacts. Types only.
import type { Contact, Notice } from './notice.ts';
import type { MaybePromise, Page, Positioned } from './ports.ts';
import type { QuietHours } from './quiet-hours.ts';

/** A message on a device, or one that is about to be. It has one entry for each session whose asks it is about. */
export interface UnansweredMessage {
  message: string;
  sessionId: string;
  agent: string;
}

export interface NoticeReads {
  /** Those that may be sent to, and those that were lost: ended with a reason. */
  contacts(): MaybePromise<Contact[]>;
  /** Steps as well. All of them unless `most` is given: an ask may be told to thousands of devices. */
  noticesOfAsk(askId: string, most?: number): MaybePromise<Notice[]>;
  /** Of a contact, newest first: `after` is the position of the last one seen. */
  noticesOf(contactId: string, page: Page): MaybePromise<Positioned<Notice>[]>;
  /** The first due ones, without those behind an unsettled one of the same contact and order key. */
  dueNotices(now: number, limit: number, exceptContacts?: readonly string[]): MaybePromise<Notice[]>;
  /** Those of a batch that wait to be sent, and when one of it was sent last. */
  batch(contactId: string, batch: string, now: number): MaybePromise<Notice[]>;
  batchSentAt(contactId: string, batch: string): MaybePromise<number | undefined>;
  /** Messages made since then about asks that nobody has answered, of the newest notices of a contact. */
  unansweredMessages(contactId: string, since: number): MaybePromise<UnansweredMessage[]>;
  /** Pending asks that a contact was told of under a handle. */
  asksOfHandle(contactId: string, handle: string): MaybePromise<{ id: string; sessionId: string }[]>;
  /** Pending asks with a notice that failed, was tried in vain or is late, of which no contact was told or is about to be. */
  unreachedAsks(now: number, limit: number): MaybePromise<string[]>;
  noticeCounts(): MaybePromise<Record<string, number>>;
  /** The last event whose notices were made. */
  noticeCursor(): MaybePromise<number | undefined>;
  quietHours(): MaybePromise<{ person: string; hours: QuietHours }[]>;
  /** To a person's contacts, unsent and due at exactly this instant. */
  noticesDueAt(person: string, at: number): MaybePromise<Notice[]>;
}
