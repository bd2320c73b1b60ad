// Stores the key that signs the log in a file: `audit.key` of the state folder, or one elsewhere that the operator names.
// Until there is such a file the pair that is derived from the secret key signs. A rotation writes the new key beside the
// file, under a name of its own, and moves it there once the log has introduced it, so that neither a crash in between nor
// a rotation by another server loses a key. Files are read at every use: several servers may share one.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/errors.ts';
import type { AuditKeys, SigningKey } from '../core/ports.ts';
import { writeFileAtomic } from '../node/atomic-file.ts';
import { SEED_BYTES, signingKey } from '../node/ed25519.ts';
import { refuseShared } from './state-folder.ts';

/** `given`: a file outside of the state folder, which is created where it does not exist. */
export function openAuditKeys(given: string | undefined, folder: string, derived: SigningKey): AuditKeys {
  const file = given ?? join(folder, 'audit.key');
  const nextOf = (publicKey: string) => `${file}.${publicKey}.next`;
  if (given !== undefined && !existsSync(file)) create(() => file);
  const preferred = () => read(file) ?? derived;
  preferred();
  return {
    preferred,
    find(publicKey) {
      // Earlier releases had one name for all.
      for (const next of [nextOf(publicKey), `${file}.next`])
        if (read(next)?.publicKey === publicKey) renameSync(next, file);
      return [preferred(), derived].find((key) => key.publicKey === publicKey);
    },
    prepare: () => create(nextOf),
  };
}

function create(fileOf: (publicKey: string) => string): SigningKey {
  const seed = randomBytes(SEED_BYTES);
  const key = signingKey(seed);
  try {
    writeFileAtomic(fileOf(key.publicKey), `${seed.toString('base64url')}\n`);
  } catch (error) {
    throw fail('audit_key_unavailable', `The new audit key cannot be stored: ${(error as Error).message}.`);
  }
  return key;
}

/** Undefined where there is no such file. */
function read(file: string): SigningKey | undefined {
  if (!existsSync(file)) return undefined;
  refuseShared(file, statSync(file), '600');
  const seed = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (seed.length === SEED_BYTES) return signingKey(seed);
  throw fail(
    'audit_key_unavailable',
    `${file} has ${seed.length} bytes in base64url; an audit key has ${SEED_BYTES}. Put its content back.`,
  );
}
