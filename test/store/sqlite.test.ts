// SQLite against the suite that every store must pass.
// Covers: src/store/notices.ts, src/core/notice-store.ts, src/store/grants.ts, src/store/lists.ts, src/store/reader.ts, src/store/row-reads.ts
// Covers: src/store/skills.ts, src/store/sql.ts, src/store/sqlite-statements.ts
// Covers: src/store/unit.ts, src/store/session-unit.ts, src/store/ask-unit.ts, src/store/own-records.ts

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
