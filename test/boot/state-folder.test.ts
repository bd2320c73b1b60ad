// The state folder and its secrets: what another user could have read or replaced is refused with what to do.
// Covers: src/node/private-file.ts
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keptSecret, openStateFolder, refuseWeakToken, secretKey } from '../../src/boot/state-folder.ts';
import { endEverything, spawnHoldpoint, temporaryFolder } from '../support/process.ts';

afterAll(endEverything);

describe('the state folder', () => {
  it('finding 17: is created for its owner alone, and refused when others can read it', () => {
    const folder = join(temporaryFolder(), 'state');
    openStateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o750);
    expect(() => openStateFolder(folder)).toThrow(`Run: chmod 700 ${folder}`);
  });

  it('finding 17: stops the server before it starts when others can write to it', async () => {
    const data = join(temporaryFolder(), 'open');
    mkdirSync(data);
    chmodSync(data, 0o777);
    const started = spawnHoldpoint({ data, via: 'main' });
    expect((await started.exited).code).toBe(1);
    expect(started.stderr()).toContain('can be read or written by other users');
  });
});

describe('a secret in it', () => {
  it('is created once, and refused when others can read it', () => {
    const folder = temporaryFolder();
    const secret = keptSecret(folder, 'secret.key');
    expect(keptSecret(folder, 'secret.key')).toBe(secret);
    chmodSync(join(folder, 'secret.key'), 0o644);
    expect(() => keptSecret(folder, 'secret.key')).toThrow('chmod 600');
    expect(readFileSync(join(folder, 'secret.key'), 'utf8').trim()).toBe(secret);
  });

  it('finding 16: is refused when it is shorter than a key must be, from the file and from the environment', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret.key'), 'abc\n', { mode: 0o600 });
    expect(() => secretKey(undefined, folder)).toThrow(/secret\.key has 2 bytes/);
    expect(() => secretKey('x', folder)).toThrow(/HOLDPOINT_SECRET_KEY has 0 bytes.*openssl rand/);
    expect(() => secretKey(Buffer.alloc(32).toString('base64url'), folder)).toThrow('repeats a few bytes');
    expect(secretKey(Buffer.from([...Array(32).keys()]).toString('base64url'), folder)).toHaveLength(32);
  });

  it('finding 16: stops the server where a stored token could be guessed, or a key or token file is open to everyone', async () => {
    const data = temporaryFolder();
    writeFileSync(join(data, 'operator.token'), 'a\n', { mode: 0o600 });
    const weak = spawnHoldpoint({ data, via: 'main' });
    expect((await weak.exited).code).toBe(1);
    expect(weak.stderr()).toMatch(/operator\.token has 1 characters; at least 24 .*openssl rand/);
    const open = join(temporaryFolder(), 'secret');
    writeFileSync(open, `${'0123456789abcdef'.repeat(2)}\n`);
    chmodSync(open, 0o644);
    for (const [command, args] of [
      ['serve', ['--token-file', open]],
      ['serve', ['--tls-cert', open, '--tls-key', open]],
      ['worker', ['--token-file', open]],
    ] as const) {
      const refused = spawnHoldpoint({ command: [command], args: [...args], via: 'main' });
      expect((await refused.exited).code).toBe(2);
      expect(refused.stderr()).toContain(`chmod o= ${open}`);
    }
  });

  it('finding 16: may not be a preset token that could be guessed', () => {
    expect(() => refuseWeakToken('a')).toThrow('has 1 characters; at least 24 random ones are needed');
    expect(() => refuseWeakToken('x'.repeat(43))).toThrow('repeats a few characters');
    expect(() => refuseWeakToken('0123456789abcdef01234567')).not.toThrow();
  });
});
