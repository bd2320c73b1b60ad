// `holdpoint audit` as a process: exports and verifies the log of a real server, and verifies a signed one without a server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signLog } from '../../../src/gateway/checkpoint.ts';
import { eventJson } from '../../../src/gateway/views.ts';
import { openGateway } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
  const work = await bed.work('evidence');
  const ask = await work.approval('a');
  await bed.client.asks.seen(ask.ask_id);
  await bed.client.approvals.decideRun(work.runId, { resolutions: [{ request_id: ask.ask_id, behavior: 'deny' }] });
}, PATIENT.timeout);
afterAll(closeTestBeds);

const audit = (...args: string[]) => bed.run(['audit', ...args]);
const folder = temporaryFolder();
let made = 0;
const fileOf = (text: string): string => {
  const file = join(folder, `log-${++made}.jsonl`);
  writeFileSync(file, text);
  return file;
};

describe('audit', PATIENT, () => {
  it('verifies the log of the server', async () => {
    const { code, stdout } = await audit('verify');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^✓ \d+ events in 2 sessions.*\n✓ [5-9] rows .* match the log\n! nothing is signed yet/),
    ]);
  });

  it('exports the whole log into a new file, and never overwrites one', async () => {
    const file = join(folder, 'taken.jsonl');
    expect((await audit('export', '--output', file)).code).toBe(0);
    const taken = readFileSync(file, 'utf8');
    expect((await audit('export')).stdout).toBe(taken);
    expect(await audit('export', '--output', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    });
    expect(readFileSync(file, 'utf8')).toBe(taken);
    expect(JSON.parse((await audit('verify', file, '--json')).stdout)).toMatchObject({ ok: true, faults: [] });

    for (const [said, forged] of [
      ['"deny"', '"allow"'],
      ['"type":"ask.seen","data":{"by":"operator"', '"type":"ask.seen","data":{"by":"mate"'],
    ] as const) {
      expect(taken).toContain(said);
      expect(await audit('verify', fileOf(taken.replace(said, forged)))).toMatchObject({
        code: 10,
        stdout: expect.stringMatching(/^✗ session evidence: event \d+ was altered\nThis log was altered/),
      });
    }
  });

  it('verifies a signed log without a server, against the key that is given', async () => {
    const open = await openGateway();
    await open.gateway.createSession({ session_id: 'a', agent: 'external' });
    await signLog(open.ports);
    const log = (await open.store.read((r) => r.events({}, 0, 100))).map(eventJson);
    const { publicKey } = open.ports.sealer;
    await open.close();
    const alone = { env: { HOLDPOINT_URL: 'http://127.0.0.1:1', HOLDPOINT_TOKEN: 'none' } };
    const verify = (...args: string[]) => bed.run(['audit', 'verify', ...args], alone);
    const good = await verify(fileOf(log.join('\n')), '--key', publicKey);
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('✓ signed through event')]);
    const other = publicKey.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));
    expect((await verify(fileOf(log.join('\n')), '--key', other)).stdout).toContain('is signed by another key');
    const unsigned = log.filter((line) => line.includes('"session_id":"a","type"'));
    expect(await verify(fileOf(unsigned.join('\n')), '--key', publicKey)).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('✗ nothing in this log is signed by the key that was given'),
    });
    expect(await verify(fileOf(log.join('\n')), '--witness', fileOf(''))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no checkpoints'),
    });
    const short = log.filter((line) => !line.includes('"session_id":"a","type"'));
    expect(await verify(fileOf(short.join('\n')))).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('✗ session a is missing'),
    });
  });

  it.each([
    ['a file that is not there', () => join(folder, 'nowhere'), 2, /cannot read .*nowhere/],
    ['a folder', () => folder, 2, /cannot read/],
    ['no JSON', () => fileOf('{"seq":1'), 10, /line 1 of .* is not an event/],
    ['a key that is given twice', () => fileOf('{"seq":1,"seq":2}'), 10, /line 1 of .* is not an event/],
    ['other JSON', () => fileOf('\n{"seq":1}\n'), 10, /line 2 of .* is not an event/],
  ])('reports what is wrong with %s', async (_, file, code, message) => {
    expect(await audit('verify', file())).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });

  it('accepts an empty log', async () => {
    expect(await audit('verify', fileOf(''))).toMatchObject({ code: 0, stdout: expect.stringContaining('0 events') });
  });
});
