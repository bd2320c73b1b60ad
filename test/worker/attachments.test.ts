// Which agents a worker attaches to: those that `connect` has recorded, the latest record of each.
import { utimesSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codex } from '../../src/agents/codex/agent.ts';
import { connector } from '../../src/agents/codex/connect.ts';
import { deleteRecord, recordPath, saveRecord } from '../../src/cli/connect/connection-record.ts';
import { startAttachments } from '../../src/worker/attachments.ts';
import { temporaryFolder } from '../support/process.ts';

it('attaches to the latest connection and to the one before it when that is removed', async () => {
  const data = temporaryFolder();
  const [first, second] = ['/one/hooks.json', '/two/hooks.json'].map((file) => ({
    named: file,
    file,
    url: 'http://127.0.0.1:1',
    mode: 0o600,
  })) as [Parameters<typeof saveRecord>[2], Parameters<typeof saveRecord>[2]];
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
  const followed = { addressOf, follow: async () => {}, gone: async () => {} };
  const agent = { ...codex, attached: { connector: async () => connector, followed } };
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  const attachments = startAttachments({
    url: 'http://127.0.0.1:1',
    token: '',
    data,
    agents: [agent],
    log: log as never,
    lookEveryMs: 5,
  });
  try {
    expect(await seen()).toBe(second.file);
    deleteRecord(data, 'codex', second);
    expect(await seen()).toBe(first.file);
  } finally {
    await attachments.stop();
  }
});
