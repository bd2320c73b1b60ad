// Tokens that are signed instead of stored: what they say is true because we wrote it. Each kind has a prefix of its own,
// which is signed with the rest, so that none can stand for another. Whether what they say still holds is not known here.
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../core/ports.ts';

export type SignedPrefix = 'hps_' | 'hpr_';

export function sign(sealer: Sealer, prefix: SignedPrefix, claims: object): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${prefix}${payload}.${signatureOf(sealer, prefix, payload)}`;
}

/** What a token says, if it is one that we signed. */
export function claimsOf(sealer: Sealer, prefix: SignedPrefix, secret: string): unknown {
  const [payload = '', signature = '', ...rest] = secret.slice(prefix.length).split('.');
  const expected = Buffer.from(signatureOf(sealer, prefix, payload));
  const given = Buffer.from(signature);
  const isGenuine = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  return isGenuine ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
}

const signatureOf = (sealer: Sealer, prefix: SignedPrefix, payload: string): string =>
  Buffer.from(sealer.mac(`signed ${prefix}${payload}`), 'base64').toString('base64url');
