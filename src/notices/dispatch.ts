// Sends due notices: claims each by compare-and-set, so that of several servers one sends it; asks the channel; stores the
// result. A server that dies in between leaves a lease, after which the notice is sent again under the same handle.
import { type Contact, claimed, type Notice, type SendResult, settled } from '../core/notice.ts';
import type { Reader } from '../core/ports.ts';
import { isGood } from '../gateway/token.ts';
import type { Channel } from './channel.ts';
import { messageOf, type Summarise } from './message.ts';
import { type Planning, takeStep } from './plan.ts';

export interface Dispatching extends Planning {
  summarise: Summarise;
  random(): number;
  /** Sends nothing to a contact any more; without a reason nobody misses it. */
  end(contact: Contact, reason: string | undefined): Promise<unknown>;
  onError(error: unknown): void;
}

const AT_ONCE = 64;
/** A slow contact delays itself, not the others. */
const AT_ONCE_EACH = 4;

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
    const due = await store.read((r) => r.dueNotices(clock.now(), free, busy));
    let hasStarted = false;
    for (const notice of due) if (await this.#start(notice)) hasStarted = true;
    return hasStarted;
  }

  /** When everything under way is settled. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #start(due: Notice): Promise<boolean> {
    if (due.event === 'step') {
      await takeStep(this.#dispatching, due);
      return true;
    }
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

/** A result that cannot be stored leaves the lease, after which the notice is sent again. */
async function send(dispatching: Dispatching, notices: readonly Notice[]): Promise<void> {
  const [first] = notices;
  if (!first) return;
  try {
    await settleAll(dispatching, notices, await attempt(dispatching, first));
  } catch (error) {
    dispatching.onError(error);
  }
}

/** The notice, and those of its batch that are due as well: they become one message. */
function claim({ ports }: Dispatching, due: Notice): Promise<Notice[]> {
  return ports.store.write(async (tx) => {
    const now = ports.clock.now();
    const isFresh = due.state === 'due' && due.attempts === 0;
    const { contactId, batch } = due;
    const others =
      isFresh && contactId !== undefined && batch !== undefined ? await tx.batch(contactId, batch, now) : [];
    const wanted = [due, ...others.filter(({ id, attempts }) => id !== due.id && attempts === 0)];
    const handle = wanted.length > 1 ? `several ${due.id}` : due.handle;
    const taken: Notice[] = [];
    for (const each of wanted) {
      const mine = { ...claimed(each, now), handle };
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
    const contact = await r.contact(notice.contactId ?? '');
    const channel = channels.get(notice.channel ?? '');
    if (!contact || !channel || contact.endedAt !== undefined) return undefined;
    const lost = await whyLost(r, contact, ports.clock.now());
    return {
      contact,
      channel,
      lost,
      message: await messageOf(r, notice, contact, summarise),
      isOver: await isOver(r, notice, channel),
    };
  });
  if (!found) return { result: 'refused', reason: 'the device or endpoint was removed' };
  const { contact, channel, lost, message, isOver: over } = found;
  if (lost !== undefined) {
    await dispatching.end(contact, lost.isMissed ? SIGNED_OUT : undefined);
    return { result: 'refused', reason: SIGNED_OUT };
  }
  if (!message || over) return { result: 'cancelled', reason: 'the request has ended' };
  const target = { contact, address: JSON.parse(ports.sealer.open(contact.address)) };
  const call = notice.event === 'ask.ended' ? 'close' : notice.event === 'ask.escalated' ? 'update' : 'send';
  const result = await channel[call](target, message);
  if (result.result === 'gone') await dispatching.end(contact, result.reason);
  return result;
}

/** A message that stands for an ask is not sent, nor again, once the ask has ended: its end is a notice of its own. */
const isOver = async (r: Reader, { event, askId }: Notice, { shows }: Channel): Promise<boolean> =>
  shows === 'asks' &&
  (event === 'ask.raised' || event === 'ask.escalated') &&
  (await r.ask(askId ?? ''))?.status !== 'pending';

/** A browser that is not signed in any more learns nothing. An endpoint belongs to the server, not to a sign-in. */
async function whyLost(
  r: Reader,
  { channel, tokenId }: Contact,
  now: number,
): Promise<{ isMissed: boolean } | undefined> {
  if (channel !== 'push') return undefined;
  const token = await r.token(tokenId);
  // A person who signs out wants nothing there any more; one whose sign-in expires does not know.
  return token && isGood(token, now) ? undefined : { isMissed: token?.revokedAt === undefined };
}

const SIGNED_OUT = 'the browser is not signed in any more';

async function settleAll({ ports, random }: Dispatching, notices: readonly Notice[], result: Outcome): Promise<void> {
  await ports.store.write(async (tx) => {
    const now = ports.clock.now();
    for (const notice of notices) {
      const after: Notice =
        result.result === 'cancelled'
          ? { ...notice, state: 'cancelled', reason: result.reason, dueAt: undefined, settledAt: now }
          : settled(notice, result, now, random());
      await tx.replaceNotice(notice, after);
    }
  });
}
