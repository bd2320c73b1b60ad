// SQLite against the suite that every store must pass.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite.ts';
import { describeStore } from '../conformance/store.ts';

describeStore('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-store-'));
  return {
    open: (hash) => openSqlite(folder, hash),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
