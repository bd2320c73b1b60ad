// Lists the migrations and applies them, for every dialect: each is a list of statements. Dialects differ only in the type
// of a column that counts by itself.
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { fail } from '../core/errors.ts';
import { coreSchema } from './migrations/0001-core.ts';
import { partialStateSchema } from './migrations/0002-partial-states.ts';
import { threadSchema } from './migrations/0003-threads.ts';
import { formSchema } from './migrations/0004-forms.ts';
import { skillSchema } from './migrations/0005-skills.ts';
import { webSchema } from './migrations/0006-web.ts';
import { labelSchema } from './migrations/0007-labels.ts';
import { outputOrderSchema } from './migrations/0008-output-order.ts';
import { ownDraftSchema } from './migrations/0009-own-drafts.ts';
import { sightingSchema } from './migrations/0010-sightings.ts';
import { skillSessionSchema } from './migrations/0011-skill-sessions.ts';
import { workerRightsSchema } from './migrations/0012-worker-rights.ts';
import { sessionBytesSchema } from './migrations/0013-session-bytes.ts';
import { tokenPersonSchema } from './migrations/0014-token-persons.ts';
import { headMacSchema } from './migrations/0015-head-macs.ts';
import { askRaiserSchema } from './migrations/0019-ask-raisers.ts';
import { grantSchema } from './migrations/0020-grants.ts';
import { sessionRuleSchema } from './migrations/0021-session-rules.ts';
import { sessionVersionSchema } from './migrations/0030-session-versions.ts';
import { noticeSchema } from './migrations/0040-notices.ts';
import { askActivitySchema } from './migrations/0050-ask-activity.ts';
import { sessionEventSchema } from './migrations/0060-session-events.ts';
import { openRunSchema } from './migrations/0070-open-runs.ts';

export interface ColumnKinds {
  /** Order of arrival, the cursor of lists. */
  position: string;
  /** The global cursor of events. */
  cursor: string;
  /** What makes writers that know no version move it. */
  versionTriggers: readonly string[];
  /** Creates the view of events by session. */
  sessionEvents: readonly string[];
  /** Runs before each migration. */
  settings?: readonly string[];
}

const MIGRATIONS: Record<string, (kinds: ColumnKinds) => readonly string[]> = {
  '0001-core': coreSchema,
  '0002-partial-states': partialStateSchema,
  '0003-threads': threadSchema,
  '0004-forms': formSchema,
  '0005-skills': skillSchema,
  '0006-web': webSchema,
  '0007-labels': labelSchema,
  '0008-output-order': outputOrderSchema,
  '0009-own-drafts': ownDraftSchema,
  '0010-sightings': sightingSchema,
  '0011-skill-sessions': skillSessionSchema,
  '0012-worker-rights': workerRightsSchema,
  '0013-session-bytes': sessionBytesSchema,
  '0014-token-persons': tokenPersonSchema,
  '0015-head-macs': headMacSchema,
  '0019-ask-raisers': askRaiserSchema,
  '0020-grants': grantSchema,
  '0021-session-rules': sessionRuleSchema,
  '0030-session-versions': sessionVersionSchema,
  '0040-notices': noticeSchema,
  '0050-ask-activity': askActivitySchema,
  '0060-session-events': sessionEventSchema,
  '0070-open-runs': openRunSchema,
};

export const MIGRATION_NAMES = Object.keys(MIGRATIONS);

/** Refuses a database that a newer release has migrated. `applied`: the names of its migrations. */
export function refuseNewer(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length === 0) return;
  throw fail(
    'store_unavailable',
    `A newer release of Holdpoint has migrated it (${unknown.join(', ')}). Install that release or a later one; to go back, restore a backup that was made before the upgrade: holdpoint db restore`,
  );
}

/** Brings the database to the newest schema. Safe when several servers start at once: the migrator takes a lock. */
export async function migrate(db: Kysely<unknown>, kinds: ColumnKinds): Promise<void> {
  const { error } = await migratorOf(db, kinds).migrateToLatest();
  if (!error) return;
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`
    .execute(db)
    .catch(() => ({ rows: [] }));
  refuseNewer(rows.map(({ name }) => name));
  throw error;
}

function migratorOf(db: Kysely<unknown>, kinds: ColumnKinds): Migrator {
  const migrations = Object.entries(MIGRATIONS).map(
    ([name, schema]) => [name, migrationOf([...(kinds.settings ?? []), ...schema(kinds)])] as const,
  );
  // Migrations of one release do not depend on each other: a database that has a later one takes the rest.
  const provider = { getMigrations: async () => Object.fromEntries(migrations) };
  return new Migrator({ db, provider, allowUnorderedMigrations: true });
}

const migrationOf = (statements: readonly string[]): Migration => ({
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});
