// PostgreSQL against the suite that every store must pass.
// Covers: src/store/lists.ts, src/store/reader.ts, src/store/row-reads.ts
// Covers: src/store/skills.ts, src/store/sql.ts, src/store/database.ts, src/store/changes.ts, src/store/record-kinds.ts
// Covers: src/store/locks.ts, src/core/records.ts
import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/store/postgres.ts';
import { describeStore } from '../conformance/store.ts';
import { type PostgresServer, sealer, startPostgres } from '../support/postgres.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeStore('PostgreSQL', async () => {
  const database = await server.database();
  return {
    open: async (hash) => {
      const options = { url: database.url, hash, sealer, poolSize: 10, pooled: false, onError: () => {} };
      return (await openPostgres(options)).store;
    },
    remove: () => database.drop(),
  };
});
