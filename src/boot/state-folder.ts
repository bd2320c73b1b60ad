// Opens the server's state folder and the secrets in it. Refuses, as ssh does, a folder or a secret that another user can
// read or replace, and secrets that are too short to keep anyone out; each refusal says what to do.
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/errors.ts';
import { writeFileAtomic } from '../node/atomic-file.ts';
import { shellQuote } from '../node/shell-quote.ts';

const KEY_BYTES = 32;
/** Random secrets of that length have more. */
const FEWEST_DIFFERENT = 8;
const TOKEN_CHARACTERS = 24;
const OTHERS = 0o077;

export function openStateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  refuseShared(path, statSync(path), '700');
}

/** A secret that is created once and stored in a file that only its owner can read. */
export function keptSecret(folder: string, name: string): string {
  const path = join(folder, name);
  if (!existsSync(path)) writeFileAtomic(path, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
  refuseShared(path, lstatSync(path), '600');
  const secret = readFileSync(path, 'utf8').trim();
  if (secret === '') throw new Error(`${path} is empty. Put its content back, or remove it to have a new one made.`);
  return secret;
}

/** The key that seals secret answers and signs tokens and checkpoints. */
export function secretKey(given: string | undefined, folder: string): Buffer {
  const source = given === undefined ? join(folder, 'secret.key') : 'HOLDPOINT_SECRET_KEY';
  const key = Buffer.from(given ?? keptSecret(folder, 'secret.key'), 'base64url');
  if (key.length >= KEY_BYTES && new Set(key).size >= FEWEST_DIFFERENT) return key;
  const what = key.length < KEY_BYTES ? `has ${key.length} bytes in base64url` : 'repeats a few bytes';
  throw fail(
    'invalid_request',
    `${source} ${what}; at least ${KEY_BYTES} random ones are needed. Make one with: openssl rand -base64 32 | tr '+/' '-_'`,
  );
}

export function refuseWeakToken(token: string, source = 'The preset token (HOLDPOINT_TOKEN, --token)'): void {
  if (token.length >= TOKEN_CHARACTERS && new Set(token).size >= FEWEST_DIFFERENT) return;
  const what = token.length < TOKEN_CHARACTERS ? `has ${token.length} characters` : 'repeats a few characters';
  throw fail(
    'invalid_request',
    `${source} ${what}; at least ${TOKEN_CHARACTERS} random ones are needed, or it could be guessed. Make one with: openssl rand -hex 24`,
  );
}

export function refuseShared(path: string, { uid, mode }: Stats, wanted: string): void {
  if (process.getuid === undefined) return;
  const own = process.getuid();
  const isForeign = uid !== own && own !== 0;
  if (!isForeign && (mode & OTHERS) === 0) return;
  const what = isForeign ? 'belongs to another user' : 'can be read or written by other users';
  const repair = isForeign ? 'Use a folder of your own' : `Run: chmod ${wanted} ${shellQuote(path)}`;
  throw fail('invalid_request', `Refusing to start: ${path} ${what}, so its secrets may be known. ${repair}`);
}
