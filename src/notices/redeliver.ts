// Sends notices of a webhook once more because a person wants it: under their own ids, so that a receiver knows repeats.
import { fail } from '../core/errors.ts';
import { isSettled, type Notice, revived } from '../core/notice.ts';
import type { Redeliver } from '../core/notice-views.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { type Key, mutate, ok } from '../gateway/mutate.ts';
import { noticeView } from './views.ts';

const PAGE = 500;
/** In one call; the next call continues with what is left. */
const MOST = 5000;

export function redeliver(ports: Ports, webhookId: string, { notice_ids, since_ms }: Redeliver, key?: Key) {
  return mutate(ports, key, async (tx) => {
    const contact = await tx.get('contact', webhookId);
    if (contact?.channel !== 'webhook') throw fail('contact_not_found', `There is no webhook "${webhookId}".`);
    if (contact.endedAt !== undefined)
      throw fail('contact_not_found', `The webhook "${contact.name}" was removed: nothing is sent to it any more.`);
    const isWanted = (notice: Notice) =>
      (isSettled(notice) || isRetried(notice)) &&
      (notice_ids?.includes(notice.id) ??
        (since_ms === undefined ? notice.state === 'failed' || isRetried(notice) : notice.createdAt >= since_ms));
    const sent: Notice[] = [];
    for (const notice of await newestOf(tx, webhookId, isWanted, since_ms)) {
      const again = revived(notice, ports.clock.now());
      if (await tx.replaceNotice(notice, again)) sent.push(again);
    }
    return ok(sent.reverse().map((notice) => noticeView(notice)));
  });
}

/** Its next attempt may be an hour away. */
const isRetried = ({ state, attempts }: Notice): boolean => state === 'due' && attempts > 0;

async function newestOf(tx: Tx, contactId: string, isWanted: (notice: Notice) => boolean, since = 0) {
  const found: Notice[] = [];
  let after: number | undefined;
  while (found.length < MOST) {
    const page = await tx.noticesOf(contactId, { limit: PAGE, after });
    found.push(...page.map(({ value }) => value).filter(isWanted));
    after = page.at(-1)?.at;
    if (page.length < PAGE || (page.at(-1)?.value.createdAt ?? 0) < since) break;
  }
  return found;
}
