// A folder for SQLite stores, of its own for each test: every store that a test opened is closed, and the folder removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { hash, sessionOf } from '../conformance/store-samples.ts';

export function sqliteFolder() {
  const bed = {
    folder: '',
    async open(): Promise<Store> {
      const store = await openSqlite(bed.folder, hash);
      opened.push(store);
      return store;
    },
  };
  const opened: Store[] = [];
  beforeEach(() => {
    bed.folder = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const store of opened.splice(0)) await store.close();
    rmSync(bed.folder, { recursive: true, force: true });
  });
  return bed;
}

export const insert = (store: Store, id: string) => store.write((tx) => tx.insert('session', sessionOf(id)));
