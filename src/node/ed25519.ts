// Signs texts with Ed25519 and verifies such signatures, with keys and signatures in base64url as a checkpoint of the log
// has them.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

/** An Ed25519 private key in PKCS #8 is this and its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const SEED_BYTES = 32;

/** The pair with this private key. */
export function signingKey(seed: Buffer) {
  const pair = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return {
    publicKey: createPublicKey(pair).export({ format: 'jwk' }).x ?? '',
    sign: (text: string): string => sign(null, Buffer.from(text), pair).toString('base64url'),
  };
}

/** `x`: the 32 bytes of the public key. */
export function verifySignature(text: string, signature: string, x: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
