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
}

const AT_ONCE = 16;

/** Sends what is due now. Resolves to whether there may be more. */
export async function dispatchDue(dispatching: Dispatching): Promise<boolean> {
  const { store, clock } = dispatching.ports;
  const due = await store.read((r) => r.dueNotices(clock.now(), AT_ONCE));
  const results = await Promise.all(due.map((notice) => dispatch(dispatching, notice)));
  // One that another server has claimed is due for nobody: look again only when something was done here.
  return results.includes(true);
}

async function dispatch(dispatching: Dispatching, due: Notice): Promise<boolean> {
  if (due.event === 'step') {
    await takeStep(dispatching, due);
    return true;
  }
  const notices = await claim(dispatching, due);
  const [first] = notices;
  if (!first) return false;
  const result = await attempt(dispatching, first);
  await settleAll(dispatching, notices, result);
  return true;
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
