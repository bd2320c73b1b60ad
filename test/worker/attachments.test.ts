// Which agents a worker attaches to: those that `connect` has recorded, the latest record of each. When it ends their asks.
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FollowContext } from '../../src/agents/agent.ts';
import { codex } from '../../src/agents/codex/agent.ts';
import { connector } from '../../src/agents/codex/connect.ts';
import { deleteRecord, recordPath, saveRecord } from '../../src/cli/connect/connection-record.ts';
import { startAttachments } from '../../src/worker/attachments.ts';
import { machineLabel } from '../../src/worker/machine-label.ts';
import { temporaryFolder } from '../support/process.ts';

type Record = Parameters<typeof saveRecord>[2];
const record = (file: string): Record => ({ named: file, file, url: 'http://127.0.0.1:1', mode: 0o600 });
const log = { info() {}, warn() {}, error() {}, debug() {} } as never;

type Follow = (context: FollowContext) => Promise<void>;

function attach(
  data: string,
  followed: { addressOf(file: string): string; follow?: Follow; gone?: () => Promise<void> },
) {
  const attached = {
    connector: async () => connector,
    followed: { follow: async () => {}, gone: async () => {}, ...followed },
  };
  const agents = [{ ...codex, attached }];
  return startAttachments({ url: 'http://127.0.0.1:1', token: '', data, agents, log, lookEveryMs: 5 });
}

it('attaches to the latest connection and to the one before it when that is removed', async () => {
  const data = temporaryFolder();
  const [first, second] = [record('/one/hooks.json'), record('/two/hooks.json')];
  saveRecord(data, 'codex', first);
  utimesSync(recordPath(data, 'codex', first), 1, 1);
  saveRecord(data, 'codex', second);
  saveRecord(data, 'other', first);

  let looked: string[] = [];
  const seen = async () => {
    looked = [];
    await expect.poll(() => looked.length).toBeGreaterThan(1);
    return looked.at(-1);
  };
  const addressOf = (file: string) => {
    looked.push(file);
    return file;
  };
  const attachments = attach(data, { addressOf });
  try {
    expect(await seen()).toBe(second.file);
    deleteRecord(data, 'codex', second);
    expect(await seen()).toBe(first.file);
  } finally {
    await attachments.stop();
  }
});

it('ends the asks of an agent when its record is removed, not while it cannot be read', async () => {
  const data = temporaryFolder();
  machineLabel(data);
  const connected = record('/one/hooks.json');
  saveRecord(data, 'codex', connected);
  let looks = 0;
  let ends = 0;
  const addressOf = (): string => {
    looks++;
    throw new Error('the settings are being written');
  };
  const attachments = attach(data, { addressOf, gone: async () => void ends++ });
  try {
    await expect.poll(() => looks).toBeGreaterThan(3);
    expect(ends).toBe(0);
    writeFileSync(recordPath(data, 'codex', connected), '{"half');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ends).toBe(0);
    deleteRecord(data, 'codex', connected);
    await expect.poll(() => ends).toBe(1);
  } finally {
    await attachments.stop();
  }
});

it('follows an agent no longer whose settings file was removed by hand, and ends its asks', async () => {
  const data = temporaryFolder();
  machineLabel(data);
  const file = join(data, 'settings.json');
  writeFileSync(file, 'address');
  saveRecord(data, 'codex', record(file));
  const following: AbortSignal[] = [];
  let ends = 0;
  const follow = async ({ signal, onAttached }: FollowContext) => {
    onAttached();
    following.push(signal);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const addressOf = (path: string) => readFileSync(path, 'utf8');
  const attachments = attach(data, { addressOf, follow, gone: async () => void ends++ });
  try {
    await expect.poll(() => following.length).toBe(1);
    rmSync(file);
    await expect.poll(() => ends).toBe(1);
    expect(following.map(({ aborted }) => aborted)).toEqual([true]);
  } finally {
    await attachments.stop();
  }
});
