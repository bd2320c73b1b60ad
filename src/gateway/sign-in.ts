// Signs a browser in: creates a single-use link and exchanges it for a token in a cookie. The token is listed, expires and
// is revoked like any other.
import { lookOf } from '../core/author-name.ts';
import type { CreateSignInLink, SignIn } from '../core/bodies.ts';
import { enforce, fail, HoldpointError } from '../core/errors.ts';
import type { Contact } from '../core/notice.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { BROWSER_TTL_MS, LINK_MEMORY_MS, LINK_TTL_MS, linkRefusal, unknownLink } from '../core/sign-in.ts';
import { personOf, type Token } from '../core/token.ts';
import { openSession } from './ledger.ts';
import { type Key, made, mutate, type Reply } from './mutate.ts';
import { isGood, newToken, noteToken, revokeIn } from './token.ts';

export interface OfferedLink {
  code: string;
  expiresAt: number;
}

/** `by`: the creator of the link, for the log. */
export function offerSignIn(
  ports: Ports,
  { scope = 'operator', name }: CreateSignInLink,
  by: string,
  key?: Key,
): Promise<Reply<OfferedLink>> {
  const unit = async (tx: Tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    const code = ports.ids.secret().replace(/^hp_/, '');
    const expiresAt = ledger.now + LINK_TTL_MS;
    const hash = ports.hash(code);
    await tx.insert('signInLink', { hash, scope, name, createdAt: ledger.now, expiresAt, usedAt: undefined });
    await tx.forget('signInLink', ledger.now - LINK_MEMORY_MS);
    ledger.note('token.offered', { scope, ...(name !== undefined && { name }), by, expires_at_ms: expiresAt });
    await ledger.close();
    return made({ code, expiresAt });
  };
  return mutate(ports, key, unit, { secret: true });
}

export interface SignedIn {
  secret: string;
  token: Token;
}

/** `former`: the secret of the browser's previous cookie, which is revoked. */
export async function signIn(ports: Ports, body: SignIn, former: string | undefined): Promise<SignedIn> {
  const hash = ports.hash(body.code);
  // A guess costs a read, not a transaction.
  if (!(await ports.store.reader.get('signInLink', hash))) throw new HoldpointError(unknownLink);
  const { view } = await mutate(ports, undefined, async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    const link = await tx.get('signInLink', hash);
    if (!link) throw new HoldpointError(unknownLink);
    enforce(linkRefusal(link, ledger.now));
    await tx.update('signInLink', { ...link, usedAt: ledger.now });
    const before = former === undefined ? undefined : await tx.tokenByHash(ports.hash(former));
    const secret = ports.ids.secret();
    const token: Token = {
      ...newToken(ports, link.scope, secret, link.name ?? body.name ?? link.scope),
      kind: 'browser',
      expiresAt: ledger.now + BROWSER_TTL_MS,
    };
    if (link.name === undefined && token.name !== link.scope) token.person = await chosenPerson(tx, token, before);
    await tx.insert('token', token);
    noteToken(ledger, token);
    if (before?.kind === 'browser') await revokeIn(ledger, before);
    await ledger.close();
    return made({ secret, token });
  });
  return view;
}

/**
 * The id of a person who chose their own name: that of the same browser before, else a new one. A name that an active token
 * of another person has is refused: an answer signed with it would be taken for theirs. So is one of a webhook, which routes
 * of notices name as they name people.
 */
async function chosenPerson(tx: Tx, token: Token, before: Token | undefined): Promise<string> {
  const look = lookOf(token.name);
  if (before && lookOf(before.name) === look) return personOf(before);
  const isPerson = (other: Token) => lookOf(other.name) === look && isGood(other, token.createdAt);
  const isWebhook = ({ channel, name, endedAt }: Contact) =>
    channel === 'webhook' && endedAt === undefined && lookOf(name) === look;
  if (!(await tx.personTokens()).some(isPerson) && !(await tx.contacts()).some(isWebhook)) return token.id;
  throw fail(
    'name_taken',
    `The name "${token.name}" is in use. Choose another one; if it is yours, have a link made for it: \`holdpoint sign-in --name "${token.name}"\`.`,
  );
}
