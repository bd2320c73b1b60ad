// Adds and ends contacts: browsers with push, and webhook endpoints. Addresses are sealed; the log says who added what,
// never where it leads.
import { ECDH } from 'node:crypto';
import { lookOf } from '../core/author-name.ts';
import { fail } from '../core/errors.ts';
import { compileGlob } from '../core/glob.ts';
import type { Contact, ContactSettings } from '../core/notice.ts';
import { EVERYONE } from '../core/notice-route.ts';
import type { AddDevice, AddWebhook } from '../core/notice-views.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import { openSession } from '../gateway/ledger.ts';
import { type Key, made, mutate, ok } from '../gateway/mutate.ts';
import { isGood } from '../gateway/token.ts';
import { PushAddress } from './channels/push.ts';
import { checkedUrl, TargetRefused } from './guarded-post.ts';

const MOST_DEVICES = 20;
const MOST_WEBHOOKS = 50;

/** The same browser again changes what is stored about it. */
export function addDevice(ports: Ports, hosts: readonly string[], body: AddDevice, actor: Actor, key?: Key) {
  checkTarget(body.subscription.endpoint, hosts);
  checkKey(body.subscription.keys.p256dh);
  const address = JSON.stringify(body.subscription);
  const addressMac = ports.sealer.mac(`push ${body.subscription.endpoint}`);
  return mutate(ports, key, async (tx) => {
    const all = await tx.contacts();
    const known = all.find((each) => each.endedAt === undefined && each.addressMac === addressMac);
    const isOwn = known?.person === actor.person;
    if (known && !isOwn) refuseOtherKeys(ports.sealer.open(known.address), body.subscription.keys);
    const fields = {
      name: actor.name,
      person: actor.person,
      label: body.label,
      tokenId: actor.tokenId,
      mayAnswer: actor.scope === 'operator',
      settings: body.allow_action === undefined ? (isOwn && known?.settings) || {} : { allowAction: body.allow_action },
    };
    if (known && isOwn) {
      const changed = { ...known, ...fields, address: ports.sealer.seal(address) };
      await tx.update('contact', changed);
      return ok(changed);
    }
    // Another person uses this browser now.
    if (known) await end(ports, tx, known, undefined);
    const own = all.filter(({ person, channel }) => channel === 'push' && person === actor.person);
    if (own.filter(({ endedAt }) => endedAt === undefined).length >= MOST_DEVICES)
      throw fail('contacts_limit', `You have ${MOST_DEVICES} devices with notifications. Remove one first.`);
    // The same browser is back, as far as one can tell. Others stay listed: one that is not takes itself for removed.
    const isBack = ({ endedAt, label, tokenId }: Contact) =>
      endedAt !== undefined && (label === body.label || tokenId === actor.tokenId);
    for (const lost of own.filter(isBack)) await tx.update('contact', { ...lost, endedReason: undefined });
    return made(await add(ports, tx, all, actor, { channel: 'push', address, addressMac, ...fields }));
  });
}

export function addWebhook(ports: Ports, hosts: readonly string[], body: AddWebhook, actor: Actor, key?: Key) {
  const url = checkTarget(body.url, hosts);
  for (const pattern of [body.agent, body.project]) if (pattern !== undefined) compileGlob(pattern);
  const unit = async (tx: Tx) => {
    const all = (await tx.contacts()).filter(({ endedAt }) => endedAt === undefined);
    const endpoints = all.filter(({ channel }) => channel === 'webhook');
    if (endpoints.length >= MOST_WEBHOOKS)
      throw fail('contacts_limit', `There are ${MOST_WEBHOOKS} webhooks. Remove one first.`);
    const names = [EVERYONE, ...all.map(({ name }) => name), ...(await activeNames(ports, tx))];
    if (names.some((name) => lookOf(name) === lookOf(body.name)))
      throw fail('contact_exists', `"${body.name}" is already the name of a person or a webhook, or looks like one.`);
    const secret = `whsec_${Buffer.from(ports.ids.secret()).toString('base64')}`;
    const settings: ContactSettings = {
      ...(body.events && { events: body.events }),
      ...(body.agent !== undefined && { agent: body.agent }),
      ...(body.project !== undefined && { project: body.project }),
      ...(body.format && { format: body.format }),
    };
    const contact = await add(ports, tx, all, actor, {
      channel: 'webhook',
      name: body.name,
      person: actor.person,
      label: url.host,
      address: JSON.stringify({ url: body.url, secret }),
      addressMac: ports.sealer.mac(`webhook ${body.name}`),
      tokenId: actor.tokenId,
      mayAnswer: false,
      settings,
    });
    return made({ contact, secret });
  };
  return mutate(ports, key, unit, { secret: true });
}

/** Routes and cards name people by these: an endpoint that passes for a person would be told in their place. */
const activeNames = async ({ clock }: Ports, tx: Tx): Promise<string[]> =>
  (await tx.personTokens()).filter((token) => isGood(token, clock.now())).map(({ name }) => name);

type NewContact = Omit<Contact, 'id' | 'createdAt' | 'endedAt' | 'endedReason'>;

async function add(
  ports: Ports,
  tx: Tx,
  others: readonly Contact[],
  { name: by }: Actor,
  given: NewContact,
): Promise<Contact> {
  const ledger = await openSession(ports, tx, SYSTEM_SESSION);
  const contact: Contact = {
    id: ports.ids.next('con'),
    ...given,
    address: ports.sealer.seal(given.address),
    createdAt: ledger.now,
    endedAt: undefined,
    endedReason: undefined,
  };
  await tx.insert('contact', contact);
  // The first contact: notices are made of what happens from now on.
  if (!others.some(({ endedAt }) => endedAt === undefined)) await tx.moveNoticeCursor(undefined, await tx.lastSeq());
  const { id: contact_id, channel, name, label } = contact;
  ledger.note('contact.added', { contact_id, channel, name, label, by });
  await ledger.close();
  return contact;
}

export function removeContact(ports: Ports, id: string, channel: string, actor: Actor, key?: Key) {
  return mutate(ports, key, async (tx) => {
    const contact = await tx.get('contact', id);
    const isOwn = channel === 'webhook' || contact?.person === actor.person || actor.scope === 'operator';
    if (contact?.channel !== channel || !isOwn)
      throw fail('contact_not_found', `There is no ${NOUNS[channel]} "${id}".`);
    const isListed = contact.endedAt === undefined || contact.endedReason !== undefined;
    return ok(isListed ? await end(ports, tx, contact, undefined, actor.name) : contact);
  });
}

const NOUNS: Record<string, string> = { push: 'device', webhook: 'webhook' };

/** `reason`: why it was lost. None: a person removed it. */
export const endContact = (ports: Ports, contact: Contact, reason: string | undefined): Promise<unknown> =>
  ports.store.write(async (tx) => {
    const known = await tx.get('contact', contact.id);
    if (known && known.endedAt === undefined) await end(ports, tx, known, reason);
  });

async function end(
  ports: Ports,
  tx: Tx,
  contact: Contact,
  reason: string | undefined,
  by = 'system',
): Promise<Contact> {
  const ledger = await openSession(ports, tx, SYSTEM_SESSION);
  const ended = { ...contact, endedAt: ledger.now, endedReason: reason };
  await tx.update('contact', ended);
  ledger.note('contact.removed', { contact_id: contact.id, by, ...(reason !== undefined && { reason }) });
  await ledger.close();
  return ended;
}

/** A caller who knows only the address of another person's browser could end that person's notifications. */
function refuseOtherKeys(stored: string, { p256dh, auth }: AddDevice['subscription']['keys']): void {
  const { keys } = PushAddress.parse(JSON.parse(stored));
  if (keys.auth !== auth || keys.p256dh !== p256dh)
    throw fail('notice_target_refused', "This is the address of another person's browser, with other keys.");
}

/** A key that nothing can be encrypted for would be kept and never reached. */
function checkKey(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
  } catch {
    throw fail(
      'invalid_request',
      'The key p256dh of the subscription is no point of the curve P-256. Send what PushSubscription.toJSON() returned.',
    );
  }
}

function checkTarget(url: string, hosts: readonly string[]): URL {
  try {
    return checkedUrl(url, hosts);
  } catch (error) {
    if (error instanceof TargetRefused) throw fail('notice_target_refused', error.message);
    throw error;
  }
}
