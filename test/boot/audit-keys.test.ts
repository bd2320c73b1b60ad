// The file with the key that signs the log: where it is, who may read it, and which key is found in it around a rotation.
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { endEverything, spawnHoldpoint, temporaryFolder } from '../support/process.ts';

afterAll(endEverything);

const derived = createSealer(Buffer.alloc(32, 7));

describe('the audit key', () => {
  it('is the one derived from the secret key until another one is introduced', () => {
    const folder = temporaryFolder();
    const keys = openAuditKeys(undefined, folder, derived);
    expect(keys.preferred().publicKey).toBe(derived.publicKey);
    const next = keys.prepare();
    expect(keys.preferred().publicKey).toBe(derived.publicKey);
    expect(openAuditKeys(undefined, folder, derived).find(next.publicKey)?.publicKey).toBe(next.publicKey);
    expect(keys.preferred().publicKey).toBe(next.publicKey);
    expect(statSync(join(folder, 'audit.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith('.next'))).toEqual([]);
  });

  it('is created in a file outside of the state folder where the operator names one', () => {
    const [folder, file] = [temporaryFolder(), join(temporaryFolder(), 'signing.key')];
    const { publicKey } = openAuditKeys(file, folder, derived).preferred();
    expect(publicKey).not.toBe(derived.publicKey);
    expect(openAuditKeys(file, folder, derived).preferred().publicKey).toBe(publicKey);
    expect(existsSync(join(folder, 'audit.key'))).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of another server is not found', () => {
    const other = openAuditKeys(join(temporaryFolder(), 'other.key'), temporaryFolder(), derived).preferred();
    expect(openAuditKeys(undefined, temporaryFolder(), derived).find(other.publicKey)).toBeUndefined();
  });

  it('is refused when it is short or others can read it, and never replaced', () => {
    const file = join(temporaryFolder(), 'signing.key');
    const open = () => openAuditKeys(file, temporaryFolder(), derived);
    open();
    const stored = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    expect(open).toThrow(`Run: chmod 600 ${file}`);
    expect(readFileSync(file, 'utf8')).toBe(stored);
    chmodSync(file, 0o600);
    writeFileSync(file, 'abc');
    expect(open).toThrow(`${file} has 2 bytes in base64url; an audit key has 32`);
  });

  it('stops the server before it starts when others can read it', async () => {
    const file = join(temporaryFolder(), 'signing.key');
    writeFileSync(file, Buffer.alloc(32, 5).toString('base64url'), { mode: 0o644 });
    chmodSync(file, 0o644);
    const started = spawnHoldpoint({ args: ['--audit-key', file], via: 'main' });
    expect((await started.exited).code).toBe(1);
    expect(started.stderr()).toContain('can be read or written by other users');
  });
});
