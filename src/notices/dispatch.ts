// Sends due notices: claims each by compare-and-set, so that of several servers one sends it; asks the channel; stores the
// result. A server that dies in between leaves a lease, after which the notice is sent again under the same handle.
import { type Contact, claimed, type Notice, SEND_LEASE_MS, type SendResult, settled } from '../core/notice.ts';
import type { Reader } from '../core/ports.ts';
import { afterQuietHours } from '../core/quiet-hours.ts';
import { isGood } from '../gateway/token.ts';
import { messageOf, type Summarise } from './message.ts';
import { type Planning, takeStep } from './plan.ts';

export interface Dispatching extends Planning {
  summarise: Summarise;
  random(): number;
  /** Sends nothing to a contact any more; with a reason it is listed as lost. */
  end(contact: Contact, reason: string | undefined): Promise<unknown>;
  onError(error: unknown): void;
}

const AT_ONCE = 256;
/** A slow contact delays itself, not the others: all devices of one person together are fewer than `AT_ONCE`. */
const AT_ONCE_EACH = 4;
/** Longer than a channel takes for a request, shorter than the lease. */
const LONGEST_SEND_MS = SEND_LEASE_MS - 10_000;

/** Starts what is due and waits for the claims, not for the providers; `onDone` is called after each. */
export class Dispatcher {
  readonly #dispatching: Dispatching;
  readonly #onDone: () => void;
  readonly #underWay = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();

  constructor(dispatching: Dispatching, onDone: () => void) {
    this.#dispatching = dispatching;
    this.#onDone = onDone;
  }

  /** Resolves to whether there may be more to start at once. */
  async startDue(): Promise<boolean> {
    const { store, clock } = this.#dispatching.ports;
    const free = AT_ONCE - this.#sending.size;
    if (free <= 0) return false;
    const busy = [...this.#underWay].filter(([, count]) => count >= AT_ONCE_EACH).map(([id]) => id);
    const due = await store.reader.dueNotices(clock.now(), free, busy);
    const hasQuietHours = due.length > 0 && (await store.reader.quietHours()).length > 0;
    let hasStarted = false;
    for (const notice of due) if (await this.#start(notice, hasQuietHours)) hasStarted = true;
    return hasStarted;
  }

  /** When everything under way is settled. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #start(due: Notice, hasQuietHours: boolean): Promise<boolean> {
    if (due.event === 'step') {
      await takeStep(this.#dispatching, due);
      return true;
    }
    if (hasQuietHours && (await isPostponed(this.#dispatching, due))) return true;
    const contactId = due.contactId ?? '';
    const count = this.#underWay.get(contactId) ?? 0;
    if (count >= AT_ONCE_EACH) return false;
    const notices = await claim(this.#dispatching, due);
    if (notices.length === 0) return false;
    this.#underWay.set(contactId, count + 1);
    const sending = send(this.#dispatching, notices).finally(() => {
      this.#sending.delete(sending);
      const left = (this.#underWay.get(contactId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(contactId);
      else this.#underWay.set(contactId, left);
      this.#onDone();
    });
    this.#sending.add(sending);
    return true;
  }
}

/**
 * Moves what is not urgent to the end of the person's quiet hours. Checked before every attempt, so that it holds for
 * retries, and for hours that were set after the notice was planned.
 */
async function isPostponed({ ports, channels }: Dispatching, due: Notice): Promise<boolean> {
  const isNews = due.event === 'ask.raised' || due.event === 'ask.escalated';
  const isShown = channels.get(due.channel ?? '')?.shows === 'asks';
  if (!isNews || !isShown || due.state !== 'due' || due.detail?.isUrgent) return false;
  return ports.store.write(async (tx) => {
    const contact = await tx.get('contact', due.contactId ?? '');
    const now = ports.clock.now();
    const quiet = (await tx.quietHours()).find(({ person }) => person === contact?.person);
    const dueAt = afterQuietHours(now, quiet?.hours);
    if (dueAt <= now) return false;
    await tx.replaceNotice(due, { ...due, dueAt });
    return true;
  });
}

/** A result that cannot be stored leaves the lease, after which the notice is sent again. */
async function send(dispatching: Dispatching, notices: readonly Notice[]): Promise<void> {
  try {
    const { live, over } = await stillWanted(dispatching, notices);
    await settleAll(dispatching, over, { result: 'cancelled', reason: 'the request has ended' });
    const [first] = live;
    if (!first) return;
    const outcome = await attempt(dispatching, first).catch((error): Outcome => {
      dispatching.onError(error);
      return { result: 'failed', reason: 'an error of the server, which is in its log' };
    });
    await settleAll(dispatching, live, outcome);
  } catch (error) {
    dispatching.onError(error);
  }
}

/**
 * The notice, and those of its batch that are due as well: they become one message, and stay one when it is tried again.
 * The handle is then their order key too, so that the end of one of them is sent after the message.
 */
function claim({ ports }: Dispatching, due: Notice): Promise<Notice[]> {
  return ports.store.write(async (tx) => {
    const now = ports.clock.now();
    const { contactId, batch } = due;
    const others =
      due.state === 'due' && contactId !== undefined && batch !== undefined
        ? await tx.batch(contactId, batch, now)
        : [];
    const isWith = (other: Notice) =>
      other.id !== due.id && (due.attempts === 0 ? other.attempts === 0 : other.handle === due.handle);
    const wanted = [due, ...others.filter(isWith)];
    const isFirst = due.attempts === 0 && wanted.length > 1;
    const joint = isFirst ? { handle: `several ${due.id}`, orderKey: `several ${due.id}` } : {};
    const taken: Notice[] = [];
    for (const each of wanted) {
      const mine = { ...claimed(each, now), ...joint };
      if (await tx.replaceNotice(each, mine)) taken.push(mine);
      else if (each === due) return [];
    }
    return taken;
  });
}

type Outcome = SendResult | { result: 'cancelled'; reason: string };

async function attempt(dispatching: Dispatching, notice: Notice): Promise<Outcome> {
  const { ports, channels, summarise } = dispatching;
  const found = await ports.store.read(async (r) => {
    const contact = await r.get('contact', notice.contactId ?? '');
    const channel = channels.get(notice.channel ?? '');
    if (!contact || !channel || contact.endedAt !== undefined) return undefined;
    const lost = await whyLost(r, contact, ports.clock.now());
    return {
      contact,
      channel,
      lost,
      message: await messageOf({ reader: r, summarise }, notice, contact),
    };
  });
  if (!found) return { result: 'refused', reason: 'the device or endpoint was removed' };
  const { contact, channel, lost, message } = found;
  if (lost !== undefined) {
    await dispatching.end(contact, lost.isMissed ? SIGNED_OUT : undefined);
    return { result: 'refused', reason: SIGNED_OUT };
  }
  if (!message) return { result: 'cancelled', reason: 'the request has ended' };
  const target = { contact, address: JSON.parse(ports.sealer.open(contact.address)) };
  const call = notice.event === 'ask.ended' ? 'close' : notice.event === 'ask.escalated' ? 'update' : 'send';
  const result = await inTime(channel[call](target, message));
  if (result.result === 'gone') await dispatching.end(contact, result.reason);
  return result;
}

/** However a channel fails to settle, its place is free again before the lease ends. */
function inTime(sending: Promise<SendResult>): Promise<SendResult> {
  const late = Promise.withResolvers<SendResult>();
  const timer = setTimeout(() => late.resolve({ result: 'failed', reason: 'no result in time' }), LONGEST_SEND_MS);
  return Promise.race([sending, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * A message that stands for asks is not sent, nor again, of those that have ended: their end is a notice of its own. The
 * others of a batch still wait.
 */
function stillWanted({ ports, channels }: Dispatching, notices: readonly Notice[]) {
  return ports.store.read(async (r) => {
    const [live, over]: [Notice[], Notice[]] = [[], []];
    for (const notice of notices) {
      const { event, askId, channel } = notice;
      const isNews = event === 'ask.raised' || event === 'ask.escalated';
      const isShown = channels.get(channel ?? '')?.shows === 'asks';
      const isOver = isNews && isShown && (await r.get('ask', askId ?? ''))?.status !== 'pending';
      (isOver ? over : live).push(notice);
    }
    return { live, over };
  });
}

/** A browser that is not signed in any more learns nothing. An endpoint belongs to the server, not to a sign-in. */
async function whyLost(
  r: Reader,
  { channel, tokenId }: Contact,
  now: number,
): Promise<{ isMissed: boolean } | undefined> {
  if (channel !== 'push') return undefined;
  const token = await r.get('token', tokenId);
  // A person who signs out wants nothing there any more; one whose sign-in expires does not know.
  return token && isGood(token, now) ? undefined : { isMissed: token?.revokedAt === undefined };
}

const SIGNED_OUT = 'the browser is not signed in any more';

async function settleAll({ ports, random }: Dispatching, notices: readonly Notice[], result: Outcome): Promise<void> {
  if (notices.length === 0) return;
  await ports.store.write(async (tx) => {
    const now = ports.clock.now();
    const spread = random();
    for (const notice of notices) {
      const after: Notice =
        result.result === 'cancelled'
          ? { ...notice, state: 'cancelled', reason: result.reason, dueAt: undefined, settledAt: now }
          : settled(notice, result, now, spread);
      await tx.replaceNotice(notice, after);
    }
  });
}
