// Commits that fail: every write in such a commit is refused, nothing of it is stored, and the store works on afterwards.
// Covers: src/store/sqlite.ts

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logFault } from '../../src/core/event.ts';
import type { Store } from '../../src/core/ports.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { append, hash, keep, sessionOf } from '../conformance/store-samples.ts';

let folder: string;
let store: Store;
let writing: DatabaseSync;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'));
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  store = await openSqlite(folder, hash);
  await keep(store, { sessions: [sessionOf('s1'), sessionOf('s2')] });
  await append(store, 's1', ['before']);
  writing = exec.mock.contexts[exec.mock.calls.findIndex(([sql]) => sql === 'BEGIN IMMEDIATE')] as DatabaseSync;
  exec.mockRestore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Three units that arrive together; only the one in the middle needs more room than there is. */
const three = () =>
  Promise.allSettled([
    append(store, 's1', ['small']),
    store.write((tx) => tx.insert('session', sessionOf('big', { lastMessage: 'x'.repeat(2_000_000) }))),
    append(store, 's2', ['small too']),
  ]);
const state = () =>
  store.read(async (r) => [await r.get('session', 's1'), await r.get('session', 'big'), await r.events({}, 0, 99)]);
const unavailable = { status: 'rejected', reason: { code: 'store_unavailable' } };

describe('a full disk', () => {
  it('fails the whole commit without a change, and accepts writes again when there is room', async () => {
    const { page_count } = writing.prepare('PRAGMA page_count').get() as { page_count: number };
    writing.exec(`PRAGMA max_page_count = ${page_count + 2}`);
    const before = await state();
    for (let i = 0; i < 3; i++) {
      expect(await three()).toMatchObject([unavailable, unavailable, unavailable]);
      expect(await state()).toEqual(before);
    }
    // What still fits is still taken: readers and small writers are not stopped by somebody else's big one.
    await append(store, 's1', ['fits']);
    writing.exec('PRAGMA max_page_count = 1000000');
    expect((await three()).map((r) => r.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const events = await store.read((r) => r.events({ sessionId: 's1' }, 0, 99));
    expect(events.map((e) => JSON.parse(e.data).text)).toEqual(['before', 'fits', 'small']);
    expect(logFault(events, hash)).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')(
    'keeps everything that a process acknowledged and nothing that it refused',
    async () => {
      await store.close();
      const program = join(import.meta.dirname, 'write-until-full.ts');
      const limited = spawnSync('sh', ['-c', 'ulimit -f 6000; exec "$@"', 'sh', process.execPath, program, folder], {
        encoding: 'utf8',
      });
      expect(limited.stderr).toBe('');
      const { kept, refused } = JSON.parse(limited.stdout) as { kept: string[]; refused: Record<string, string> };
      expect(kept.length).toBeGreaterThan(20);
      expect(new Set(Object.values(refused))).toEqual(new Set(['store_unavailable']));

      store = await openSqlite(folder, hash);
      const there = (await store.read((r) => r.sessions({}, { limit: 100_000 }))).map((p) => p.value.id);
      expect(there).toEqual(['s1', 's2', ...kept]);
      for (const id of there.filter((one) => one !== 's2')) {
        const log = await store.read((r) => r.events({ sessionId: id }, 0, 99));
        expect(log).toHaveLength(1);
        expect(logFault(log, hash)).toBeUndefined();
      }
      await append(store, 's1', ['after']);
    },
  );
});

describe('a commit that fails at the last moment', () => {
  const endings: [string, (db: DatabaseSync) => void][] = [
    ['with its transaction still open', () => {}],
    ['with its transaction already undone', (db) => db.exec('ROLLBACK')],
  ];
  it.each(endings)('refuses every unit in it and none of the following ones, %s', async (_, ending) => {
    const before = await state();
    const real = DatabaseSync.prototype.exec;
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (sql !== 'COMMIT' || this !== writing) return real.call(this, sql);
      exec.mockRestore();
      ending(this);
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    });
    const refused = store.write(async () => {
      throw new Error('a unit that had failed anyway');
    });
    const results = await Promise.allSettled([append(store, 's1', ['a']), refused, append(store, 's2', ['b'])]);
    expect(results.map((r) => r.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results[0]).toMatchObject(unavailable);
    expect(results[2]).toMatchObject(unavailable);
    expect(await state()).toEqual(before);

    let woken = 0;
    store.onCommit(() => {
      woken += 1;
    });
    await append(store, 's1', ['after']);
    expect(woken).toBe(1);
    const events = await store.read((r) => r.events({ sessionId: 's1' }, 0, 99));
    expect(events.map((e) => JSON.parse(e.data).text)).toEqual(['before', 'after']);
    expect(logFault(events, hash)).toBeUndefined();
  });

  it('announces nothing', async () => {
    let woken = 0;
    store.onCommit(() => {
      woken += 1;
    });
    const { page_count } = writing.prepare('PRAGMA page_count').get() as { page_count: number };
    writing.exec(`PRAGMA max_page_count = ${page_count + 2}`);
    await three();
    expect(woken).toBe(0);
  });
});

describe('a database that another program has locked', () => {
  it('fails a write with an explanation, and accepts the next one', async () => {
    writing.exec('PRAGMA busy_timeout = 0');
    const other = new DatabaseSync(join(folder, 'holdpoint.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(append(store, 's1', ['locked out'])).rejects.toThrow(/Nothing was changed: .*locked/);
    other.exec('ROLLBACK');
    other.close();
    await append(store, 's1', ['let in']);
    expect((await store.read((r) => r.get('session', 's1')))?.headSeq).toBe(2);
  });
});
