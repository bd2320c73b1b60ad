// Group commit of the SQLite store: concurrent writes share a commit, and no write returns before its commit is on disk.
// Covers: src/store/sqlite.ts

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { insert, sqliteFolder } from './sqlite-folder.ts';

const bed = sqliteFolder();

describe('commits', () => {
  it('shares one commit between writes that arrive together', async () => {
    const store = await bed.open();
    const before = commitsIn(bed.folder);
    await Promise.all(Array.from({ length: 400 }, (_, n) => insert(store, `s${n}`)));
    const commits = commitsIn(bed.folder) - before;
    expect(commits).toBeGreaterThan(0);
    expect(commits).toBeLessThanOrEqual(4);
    expect(await store.read((r) => r.counts())).toMatchObject({ activeSessions: 400 });
  });

  it('shares one commit between writes that arrive during another commit', async () => {
    const store = await bed.open();
    const before = commitsIn(bed.folder);
    const writers = Array.from({ length: 40 }, async (_, n) => {
      for (let i = 0; i < 5; i++) await insert(store, `s${n}-${i}`);
    });
    await Promise.all(writers);
    expect(commitsIn(bed.folder) - before).toBeLessThanOrEqual(20);
  });

  it('returns from a write only after its commit', async () => {
    const store = await bed.open();
    const before = commitsIn(bed.folder);
    const other = new DatabaseSync(join(bed.folder, 'holdpoint.db'), { readOnly: true });
    const look = other.prepare('SELECT COUNT(*) AS n FROM sessions WHERE id = ?');
    for (let n = 0; n < 20; n++) {
      await insert(store, `s${n}`);
      expect(look.get(`s${n}`)).toMatchObject({ n: 1 });
      expect(commitsIn(bed.folder) - before).toBe(n + 1);
    }
    other.close();
  });

  it('commits to disk with a write-ahead log and synchronous = FULL', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await bed.open();
    await insert(store, 's1');
    const writing = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN IMMEDIATE')] as DatabaseSync;
    expect(writing.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect(writing.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(writing.location()).toMatch(/holdpoint\.db$/);
  });

  it('reads with a connection that cannot write', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await bed.open();
    await store.read(async (r) => r.lastSeq());
    const reading = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN')] as DatabaseSync;
    expect(() => reading.exec(`DELETE FROM sessions`)).toThrow(/readonly/);
  });
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
