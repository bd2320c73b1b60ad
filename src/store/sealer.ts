// Encrypts secret answers at rest: AES-256-GCM under a key stored beside the database, readable by its owner only. The
// HMAC key that compares answers and the Ed25519 pair that signs are derived from the same key.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from '../core/ports.ts';
import { SEED_BYTES, signingKey } from '../node/ed25519.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * One master key and one derived key per use, so that a hash reveals nothing about a ciphertext. Key objects, because
 * OpenSSL prepares a key from bytes anew for each call, which costs three times as much.
 */
export function createSealer(masterKey: Buffer): Sealer {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', masterKey, '', `holdpoint:${use}`, SEED_BYTES));
  const sealing = createSecretKey(derive('seal'));
  const comparing = createSecretKey(derive('mac'));
  return {
    seal(text, use = '') {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(use));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, use = '') {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(use)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
    mac: (text) => createHmac('sha256', comparing).update(text).digest('base64'),
    ...signingKey(derive('sign')),
  };
}
