// `holdpoint tokens` as a process against a real server.
import { describe, expect, it } from 'vitest';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

describe('tokens', PATIENT, () => {
  it('creates a token, prints it once, lists it and revokes it by name', async () => {
    const made = await bed.run(['tokens', 'create', '--scope', 'viewer', '--name', 'dashboard']);
    expect(made.code).toBe(0);
    const secret = made.stdout.trimEnd();
    expect(secret).toMatch(/^hp_\S+$/);
    const asViewer = { env: { HOLDPOINT_TOKEN: secret } };
    expect((await bed.run(['sessions', 'list', '--json'], asViewer)).code).toBe(0);
    const listed = await bed.run(['tokens', 'list']);
    expect(listed.stdout).toMatch(/^tok_\w+ +viewer +always +dashboard$/m);
    expect(listed.stdout).not.toContain(secret);
    expect((await bed.run(['tokens', 'revoke', 'dashboard', '--idempotency-key', 'r'])).code).toBe(0);
    expect((await bed.run(['sessions', 'list', '--json'], asViewer)).code).toBe(6);
    expect((await bed.run(['tokens', 'list'])).stdout).not.toContain('dashboard');
    expect((await bed.run(['tokens', 'list', '--all', '--json'])).stdout).toContain('dashboard');
    expect((await bed.run(['tokens', 'revoke', 'dashboard'])).code).toBe(3);
  });

  it('creates one token under one key', async () => {
    const args = ['tokens', 'create', '--scope', 'viewer', '--name', 'keyed', '--idempotency-key', 'k', '--json'];
    const first = JSON.parse((await bed.run(args)).stdout);
    const again = JSON.parse((await bed.run(args)).stdout);
    expect(again.token_id).toBe(first.token_id);
  });

  it('refuses a missing or unknown scope', async () => {
    expect((await bed.run(['tokens', 'create'])).code).toBe(2);
    expect((await bed.run(['tokens', 'create', '--scope', 'king'])).code).toBe(2);
    expect((await bed.run(['tokens', 'create', '--scope', 'agent', '--session-id', 'nowhere'])).code).toBeGreaterThan(
      1,
    );
  });
});
