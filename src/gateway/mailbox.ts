// Sends mail to a child session: posted at the end of a clarification, kept until the child acknowledges it. A message that
// cannot be delivered (child ended, too old, three failed deliveries) goes to the child's dead letters with a reason.
import { fail } from '../core/errors.ts';
import { messageIdOf } from '../core/id.ts';
import { MESSAGE_MAX_ATTEMPTS, MESSAGE_TTL_MS, type Message } from '../core/mailbox.ts';
import type { Ports, Tx } from '../core/ports.ts';
import type { Clarification } from '../core/run.ts';
import type { MessageView } from '../core/views.ts';
import type { Sender } from './lease.ts';
import { type Ledger, ledgerOf, openSession } from './ledger.ts';
import { markDelivery } from './mark-delivery.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { messageView } from './views.ts';
import { checkSessionLease } from './worker-rights.ts';

const BATCH = 500;

/** Inside the parent's transaction. The parent's lock is always taken before the child's. */
export async function postMessage(
  ledger: Ledger,
  wanted: Clarification,
  payload: Record<string, unknown>,
): Promise<void> {
  const { ports, tx, now } = ledger;
  const own = wanted.requesterSessionId === ledger.session.id;
  const child = own ? ledger : await openSession(ports, tx, wanted.requesterSessionId);
  const closed = child.session.status === 'ended';
  const message: Message = {
    id: messageIdOf(wanted.requestId),
    sessionId: wanted.requesterSessionId,
    fromSessionId: ledger.session.id,
    subject: 'clarification_answer',
    payload,
    attempts: 0,
    createdAt: now,
    ackedAt: undefined,
    deadAt: closed ? now : undefined,
    reason: closed ? 'the child session has ended' : undefined,
  };
  if (await tx.insert('message', message)) {
    child.note(closed ? 'mailbox.dead' : 'mailbox.posted', eventData(message), wanted.requesterRunId, wanted.requestId);
    if (closed) await markDelivery(ledger, wanted.requestId, 'undeliverable', message.reason);
  }
  if (!own) await child.close();
}

const eventData = (m: Message) => ({ message_id: m.id, subject: m.subject, ...(m.reason && { reason: m.reason }) });

export function acknowledgeMessage(
  ports: Ports,
  sessionId: string,
  messageId: string,
  key?: Key,
  sender: Sender = {},
): Promise<Reply<MessageView>> {
  return mutate(ports, key, async (tx) => {
    await checkSessionLease({ tx, now: ports.clock.now() }, sessionId, sender);
    const message = await mailOf(tx, sessionId, messageId);
    if (message.ackedAt === undefined) {
      const ledger = await settleMail(ports, tx, message, 'delivered');
      message.ackedAt = ledger.now;
      message.attempts += 1;
      await tx.update('message', message);
      ledger.note('mailbox.acknowledged', eventData(message), undefined, askOf(message));
      await ledger.close();
    }
    return ok(messageView(message));
  });
}

/** Counts a failed delivery; the third makes the message a dead letter. */
export function failMessage(
  ports: Ports,
  sessionId: string,
  messageId: string,
  reason: string | undefined,
  key?: Key,
  sender: Sender = {},
): Promise<Reply<MessageView>> {
  return mutate(ports, key, async (tx) => {
    await checkSessionLease({ tx, now: ports.clock.now() }, sessionId, sender);
    const message = await mailOf(tx, sessionId, messageId);
    if (message.ackedAt !== undefined)
      throw fail('message_not_found', `Message "${messageId}" has already been acknowledged.`);
    message.attempts += 1;
    if (message.attempts < MESSAGE_MAX_ATTEMPTS) {
      await tx.update('message', message);
      return ok(messageView(message));
    }
    await kill(ports, tx, message, reason ?? `${MESSAGE_MAX_ATTEMPTS} deliveries failed`);
    return ok(messageView(message));
  });
}

/** All mail of a child that ends. Inside the transaction that ends the session, under its parent's lock. */
export async function deadenMail(ledger: Ledger, parent: Ledger): Promise<void> {
  const { tx, session, now } = ledger;
  let open = await tx.messages(session.id, 'open', { limit: BATCH });
  if (open.length === 0) return;
  for (; open.length > 0; open = await tx.messages(session.id, 'open', { limit: BATCH }))
    for (const { value } of open) {
      value.deadAt = now;
      value.reason = 'the child session has ended';
      await tx.update('message', value);
      const askId = askOf(value);
      if (askId !== undefined) await markDelivery(parent, askId, 'undeliverable', value.reason);
      ledger.note('mailbox.dead', eventData(value), undefined, askId);
    }
  await parent.close();
}

export async function sweepMail(ports: Ports): Promise<void> {
  const before = ports.clock.now() - MESSAGE_TTL_MS;
  const stale = await ports.store.reader.staleMessages(before, 100);
  for (const { id, sessionId } of stale)
    await ports.store.write(async (tx) => {
      const message = await mailOf(tx, sessionId, id);
      if (message.ackedAt === undefined && message.deadAt === undefined)
        await kill(ports, tx, message, 'the message was too old');
    });
}

async function kill(ports: Ports, tx: Tx, message: Message, reason: string): Promise<void> {
  message.reason = reason;
  const ledger = await settleMail(ports, tx, message, 'undeliverable');
  message.deadAt = ledger.now;
  await tx.update('message', message);
  ledger.note('mailbox.dead', eventData(message), undefined, askOf(message));
  await ledger.close();
}

/** Under the lock of the sending session, in which the ask is marked: the message is read again behind that lock. */
async function mailOf(tx: Tx, sessionId: string, messageId: string): Promise<Message> {
  const found = await tx.get('message', messageId);
  if (found) await tx.lockSession(found.fromSessionId);
  const message = found && (await tx.get('message', messageId));
  if (message && message.sessionId === sessionId && message.deadAt === undefined) return message;
  throw fail('message_not_found', `There is no message "${messageId}" in the mailbox of ${sessionId}.`);
}

const askOf = (message: Message): string | undefined =>
  typeof message.payload.request_id === 'string' ? message.payload.request_id : undefined;

/** Marks the answered ask in the parent session, then opens the child's own ledger. */
async function settleMail(
  ports: Ports,
  tx: Tx,
  message: Message,
  state: 'delivered' | 'undeliverable',
): Promise<Ledger> {
  const askId = askOf(message);
  const parent = await openSession(ports, tx, message.fromSessionId);
  if (askId !== undefined) await markDelivery(parent, askId, state, message.reason);
  await parent.close();
  const child = await tx.lockSession(message.sessionId);
  if (!child) throw fail('session_not_found', `There is no session "${message.sessionId}".`);
  return ledgerOf(ports, tx, child);
}
