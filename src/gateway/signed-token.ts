// Signs and verifies tokens that are not stored: a valid signature proves that this server wrote the payload. Each kind
// of token has its own prefix, which is signed too, so that none can pass for another. Whether the payload still holds
// (expiry, revocation) is the caller's to check.
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../core/ports.ts';

export type SignedPrefix = 'hps_' | 'hpr_';

export function signToken(sealer: Sealer, prefix: SignedPrefix, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${prefix}${encoded}.${signatureOf(sealer, prefix, encoded)}`;
}

/** The payload of a token with a valid signature, as unchecked JSON. */
export function verifyToken(sealer: Sealer, prefix: SignedPrefix, token: string): unknown {
  const [encoded = '', signature = '', ...rest] = token.slice(prefix.length).split('.');
  const expected = Buffer.from(signatureOf(sealer, prefix, encoded));
  const given = Buffer.from(signature);
  const isGenuine = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  return isGenuine ? JSON.parse(Buffer.from(encoded, 'base64url').toString()) : undefined;
}

const signatureOf = (sealer: Sealer, prefix: SignedPrefix, encoded: string): string =>
  Buffer.from(sealer.mac(`signed ${prefix}${encoded}`), 'base64').toString('base64url');
