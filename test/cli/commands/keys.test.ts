// `holdpoint keys` as a process: rotates the key of a real server with an ask open, and the log verifies with the first key.
// Covers: src/server/routes/audit-keys.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT } from '../test-bed.ts';

afterAll(closeTestBeds);

it('rotates the key that signs the log, lists old ones, and the export verifies from the first', PATIENT, async () => {
  const bed = await openTestBed();
  const work = await bed.work('rotation');
  const ask = await work.approval('a');
  const keys = async () => JSON.parse((await bed.run(['keys', 'list', '--json'])).stdout);
  const [first] = await keys();
  expect(first).toEqual({ key: expect.any(String), is_current: true });
  const rotated = await bed.run(['keys', 'rotate']);
  expect([rotated.code, rotated.stderr]).toEqual([0, expect.stringContaining('signed with a new key')]);
  await bed.client.approvals.decideRun(work.runId, { resolutions: [{ request_id: ask.ask_id, behavior: 'deny' }] });
  expect(JSON.parse((await bed.run(['keys', 'rotate', '--json'])).stdout)).toMatchObject({ is_current: true });
  expect(await keys()).toEqual([
    { key: first.key, is_current: false },
    { key: rotated.stdout.trim(), is_current: false, introduced_at_ms: expect.any(Number) },
    { key: expect.any(String), is_current: true, introduced_at_ms: expect.any(Number) },
  ]);
  expect((await bed.run(['keys', 'list'])).stdout).toMatch(/the first key +replaced[\s\S]*signs/);
  const file = join(temporaryFolder(), 'log.jsonl');
  await bed.run(['audit', 'export', '--output', file]);
  expect(readFileSync(file, 'utf8')).toContain('"type":"audit.key"');
  expect(await bed.run(['audit', 'verify', '--key', first.key])).toMatchObject({ code: 0 });
  const report = await bed.run(['audit', 'verify', file, '--key', first.key]);
  expect([report.code, report.stdout]).toEqual([0, expect.stringContaining(`key ${first.key}`)]);
});

it('stores the key outside of the state folder with --audit-key, also after a rotation', PATIENT, async () => {
  const file = join(temporaryFolder(), 'signing.key');
  const server = await startHoldpoint({ args: ['--audit-key', file, '--no-worker'] });
  const before = readFileSync(file, 'utf8');
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/v1/audit/keys`, { method: 'POST', headers, body: '{}' });
  expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ is_current: true })]);
  expect(readFileSync(file, 'utf8')).not.toBe(before);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
