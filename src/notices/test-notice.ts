// Sends a test to a person or a webhook, the way of every notice, and waits for what becomes of the first attempt.
import { type Contact, isSettled, type Notice, RETRY_MS } from '../core/notice.ts';
import { contactsOf } from '../core/notice-route.ts';
import type { TestResultView } from '../core/notice-views.ts';
import type { Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import { noticeView } from './views.ts';

const LOOK_MS = 100;
const LONGEST_WAIT_MS = 15_000;
/** Tests are not retried for a day. */
const TEST_MS = Math.min(60_000, RETRY_MS);

export async function sendTest(
  ports: Ports,
  wake: () => void,
  named: string | undefined,
  actor: Actor,
): Promise<TestResultView> {
  const { store, clock, ids } = ports;
  const who = named ?? actor.name;
  const all = await store.reader.contacts();
  const contacts = contactsOf([{ who }], all);
  if (contacts.length === 0) return { who, results: [], problem: whyNone(who, all) };
  const now = clock.now();
  const notices = contacts.map((contact) => testOf(contact, ids.next('ntc'), now));
  await store.write(async (tx) => {
    for (const notice of notices) await tx.insert('notice', notice);
  });
  wake();
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  for (const from = Date.now(); ; ) {
    const found = await store.read(async (r) => Promise.all(notices.map(({ id }) => r.get('notice', id))));
    const results = found.filter((notice) => notice !== undefined);
    const isKnown = (notice: Notice) => isSettled(notice) || notice.reason !== undefined;
    if (results.every(isKnown) || Date.now() - from > LONGEST_WAIT_MS)
      return { who, results: results.map((notice) => noticeView(notice, byId.get(notice.contactId ?? ''))) };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function whyNone(who: string, contacts: readonly Contact[]): string {
  const lost = contacts.find(({ name, endedReason }) => name === who && endedReason !== undefined);
  if (lost) {
    const again = lost.channel === 'push' ? 'Switch notifications on again there.' : 'Add the webhook again.';
    return `Nothing is sent to ${who} any more (${lost.label}): ${lost.endedReason}. ${again}`;
  }
  const names = [...new Set(contacts.map(({ name }) => name))];
  const known = names.length === 0 ? 'nobody has' : `those who have: ${names.join(', ')}`;
  return `${who} has no device with notifications and no webhook has this name; ${known}.`;
}

const testOf = (contact: Contact, unique: string, now: number): Notice => ({
  id: unique,
  event: 'test',
  askId: undefined,
  runId: undefined,
  sessionId: undefined,
  contactId: contact.id,
  channel: contact.channel,
  who: contact.name,
  handle: 'test',
  orderKey: unique,
  batch: undefined,
  detail: undefined,
  state: 'due',
  reason: undefined,
  attempts: 0,
  dueAt: now,
  retryUntil: now + TEST_MS,
  createdAt: now,
  sentAt: undefined,
  settledAt: undefined,
});
