// What is SQLite's own about the embedded store: writes share commits, commits are on disk, one process per folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { append, hash, sessionOf } from '../conformance/store-samples.ts';

let folder: string;
let opened: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'));
  opened = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = async (): Promise<Store> => {
  const store = await openSqlite(folder, hash);
  opened.push(store);
  return store;
};
const insert = (store: Store, id: string) => store.write((tx) => tx.insertSession(sessionOf(id)));

describe('commits', () => {
  it('are shared by writes that arrive together', async () => {
    const store = await open();
    const before = commitsIn(folder);
    await Promise.all(Array.from({ length: 400 }, (_, n) => insert(store, `s${n}`)));
    const commits = commitsIn(folder) - before;
    expect(commits).toBeGreaterThan(0);
    expect(commits).toBeLessThanOrEqual(4);
    expect(await store.read((r) => r.counts())).toMatchObject({ activeSessions: 400 });
  });

  it('are shared by writes that arrive while another commit is on its way', async () => {
    const store = await open();
    const before = commitsIn(folder);
    const writers = Array.from({ length: 40 }, async (_, n) => {
      for (let i = 0; i < 5; i++) await insert(store, `s${n}-${i}`);
    });
    await Promise.all(writers);
    expect(commitsIn(folder) - before).toBeLessThanOrEqual(20);
  });

  it('are never shared with a write that comes after its result: what is acknowledged is committed', async () => {
    const store = await open();
    const before = commitsIn(folder);
    const other = new DatabaseSync(join(folder, 'holdpoint.db'), { readOnly: true });
    const look = other.prepare('SELECT COUNT(*) AS n FROM sessions WHERE id = ?');
    for (let n = 0; n < 20; n++) {
      await insert(store, `s${n}`);
      expect(look.get(`s${n}`)).toMatchObject({ n: 1 });
      expect(commitsIn(folder) - before).toBe(n + 1);
    }
    other.close();
  });

  it('wait for the disk: write-ahead log, synchronous = FULL', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await open();
    await insert(store, 's1');
    const writing = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN IMMEDIATE')] as DatabaseSync;
    expect(writing.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect(writing.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(writing.location()).toMatch(/holdpoint\.db$/);
  });

  it('are read by a connection that cannot write', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await open();
    await store.read(async (r) => r.lastSeq());
    const reading = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN')] as DatabaseSync;
    expect(() => reading.exec(`DELETE FROM sessions`)).toThrow(/readonly/);
  });
});

describe('one process per folder', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await end(child);
  });

  it('refuses a second opener in the same process, and lets it in after the first has closed', async () => {
    const first = await open();
    await expect(openSqlite(folder, hash)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/Another Holdpoint server is using .*HOLDPOINT_DATA/),
    });
    await append1(first);
    await first.close();
    expect(await (await open()).read((r) => r.lastSeq())).toBe(1);
  });

  it('refuses while another process has it, and takes over when that one was killed', async () => {
    const child = startOpener(folder);
    children.push(child);
    expect(await firstLine(child)).toBe('open');
    await expect(openSqlite(folder, hash)).rejects.toThrow(`Another Holdpoint server is using ${folder}`);
    await end(child);
    const store = await open();
    expect((await store.read((r) => r.session('left behind')))?.id).toBe('left behind');
  });

  it('does not keep the folder after it could not open the database', async () => {
    writeFileSync(
      join(folder, 'holdpoint.db'),
      'this is not a database, but it is long enough to be taken for one'.repeat(99),
    );
    await expect(openSqlite(folder, hash)).rejects.toThrow(/holdpoint\.db cannot be used/);
    rmSync(join(folder, 'holdpoint.db'));
    await insert(await open(), 's1');
  });

  const append1 = async (store: Store) => {
    await insert(store, 's1');
    await append(store, 's1', ['x']);
  };
});

/** Commit records in the write-ahead log: frames that name the size of the database after them. */
function commitsIn(where: string): number {
  const log = readFileSync(join(where, 'holdpoint.db-wal'));
  if (log.length === 0) return 0;
  const pageSize = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}

function startOpener(where: string): ChildProcess {
  const from = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
  const program = `
    const { openSqlite } = await import(${from('src/store/sqlite.ts')});
    const { hash, sessionOf } = await import(${from('test/conformance/store-samples.ts')});
    const store = await openSqlite(process.argv[1], hash);
    await store.write((tx) => tx.insertSession(sessionOf('left behind')));
    console.log('open');
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', program, where], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
