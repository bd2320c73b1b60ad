// Verifies Ed25519 signatures of texts, with the key and the signature in base64url as a checkpoint of the log has them.
import { createPublicKey, verify } from 'node:crypto';

/** `x`: the 32 bytes of the public key. */
export function verifySignature(text: string, signature: string, x: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
