// Opens the database of a server without the server. Restoring a backup is in restore.ts.
import { join } from 'node:path';
import { copyToPostgres } from '../store/copy.ts';
import { migratePostgres } from '../store/postgres-schema.ts';
import { backUpSqlite } from '../store/sqlite-backup.ts';
import { migrateSqlite } from '../store/sqlite-schema.ts';
import { postgresStatus, sqliteStatus } from '../store/status.ts';
import type { Settings } from './server.ts';

/** The database a server with these settings would use: brought to the newest schema, described, copied out of SQLite, backed up. */
export const database = {
  migrate: ({ database: pg, data }: Pick<Settings, 'database' | 'data'>): Promise<void> =>
    pg ? migratePostgres(pg.url) : migrateSqlite(join(data, 'holdpoint.db')),
  status: ({ database: pg, data }: Pick<Settings, 'database' | 'data'>) =>
    pg ? postgresStatus(pg.url) : sqliteStatus(data),
  copy: copyToPostgres,
  backUp: backUpSqlite,
};
