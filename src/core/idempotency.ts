// Defines idempotency keys: which keys are valid, and when two requests are the same.
import { canonical, type Hash } from './digest.ts';
import { type Refusal, refuse } from './errors.ts';

export const KEY_TTL_MS = 7 * 24 * 60 * 60 * 1000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function checkKey(key: string, byteLength: number): Refusal | undefined {
  if (byteLength < 1 || byteLength > 256)
    return refuse('invalid_idempotency_key', `An idempotency key has 1 to 256 bytes; this one has ${byteLength}.`);
  if (CONTROL.test(key))
    return refuse('invalid_idempotency_key', 'An idempotency key must not contain control characters.');
  return undefined;
}

/** The scope of a key is the operation (method and route) and the ids in its path. Only the hash is stored. */
export const keyScope = (operation: string, ids: readonly string[], key: string, hash: Hash): string =>
  hash(canonical(['key', operation, ids, key]));

export function fingerprint(operation: string, ids: readonly string[], body: unknown, hash: Hash): string {
  return hash(canonical(['request', operation, ids, body]));
}

export interface StoredResponse {
  scope: string;
  fingerprint: string;
  /** Whether the operation created a record (201 instead of 200). */
  created: boolean;
  body: string;
  createdAt: number;
}
