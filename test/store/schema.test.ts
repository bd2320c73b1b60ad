// A database of the first schema with pending asks, upgraded by this version: nothing is lost, every ask can be answered, in
// both dialects, also when several servers start at once.
// Covers: src/store/migrations/, src/store/postgres-schema.ts, src/store/sqlite-schema.ts
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { AskView, EventView, RunView } from '../../src/core/views.ts';
import { coreSchema } from '../../src/store/migrations/0001-core.ts';
import { webSchema } from '../../src/store/migrations/0006-web.ts';
import { labelSchema } from '../../src/store/migrations/0007-labels.ts';
import { migratePostgres } from '../../src/store/postgres-schema.ts';
import { MIGRATION_NAMES } from '../../src/store/schema.ts';
import { audit } from '../faults/auditor.ts';
import { type Account, accountOf, noKnowledge } from '../faults/knowledge.ts';
import { type Sent, send } from '../support/http.ts';
import { type Holdpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const TOKEN = 'a token that outlives the upgrade';
const SECRET = {
  HOLDPOINT_TOKEN: TOKEN,
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};
const NO_KINDS = { position: '', cursor: '', versionTriggers: [], sessionEvents: [] };
/** What each later migration made, taken back: without it the database is one of the first schema. */
const TAKEN_BACK: Record<string, string[]> = {
  '0002-partial-states': ['DROP TABLE partial_states'],
  '0003-threads': [
    'ALTER TABLE runs DROP COLUMN permissions',
    'ALTER TABLE sessions RENAME COLUMN kept_count TO item_count',
    ...coreSchema(NO_KINDS).filter((statement) => statement.includes('CREATE TABLE items')),
  ],
  '0004-forms': ['DROP TABLE forms'],
  '0005-skills': ['DROP INDEX tokens_name', 'DROP TABLE skill_archives', 'DROP TABLE skills'],
  '0006-web': ['DROP TABLE drafts', 'DROP TABLE sign_in_links', 'ALTER TABLE tokens DROP COLUMN kind'],
  '0008-output-order': ['DROP INDEX outputs_order'],
  '0009-own-drafts': ['DROP TABLE drafts', ...webSchema().filter((statement) => statement.includes('TABLE drafts'))],
  '0010-sightings': ['ALTER TABLE asks DROP COLUMN seen_by'],
  '0011-skill-sessions': ['ALTER TABLE skills DROP COLUMN session_id'],
  '0015-head-macs': ['ALTER TABLE sessions DROP COLUMN head_mac'],
  '0019-ask-raisers': ['ALTER TABLE asks DROP COLUMN raised_by'],
  '0020-grants': ['DROP TABLE grants'],
  '0040-notices': ['quiet_hours', 'notice_cursor', 'notices', 'contacts'].map((table) => `DROP TABLE ${table}`),
  '0021-session-rules': ['ALTER TABLE sessions DROP COLUMN rules'],
  '0050-ask-activity': ['ALTER TABLE asks DROP COLUMN activity'],
  '0060-session-events': [
    'DROP VIEW session_events',
    'DROP TABLE IF EXISTS listed_events',
    'DROP TABLE IF EXISTS listed_through',
    'CREATE INDEX IF NOT EXISTS events_session ON events (session_id, seq)',
  ],
  '0070-open-runs': [
    ...['queued', 'claimable', 'expiring'].map((which) => `DROP INDEX runs_${which}`),
    ...coreSchema(NO_KINDS).filter((statement) => /INDEX runs_(queued|expiring)/.test(statement)),
    ...labelSchema().filter((statement) => statement.includes('CREATE INDEX runs_claimable')),
  ],
  '0012-worker-rights': [
    'ALTER TABLE tokens DROP COLUMN labels',
    'ALTER TABLE tokens DROP COLUMN is_built_in',
    'ALTER TABLE sessions DROP COLUMN made_by',
    'ALTER TABLE runs DROP COLUMN lease_holder',
  ],
  '0030-session-versions': [
    'DROP INDEX asks_carried_on',
    ...coreSchema(NO_KINDS).filter((statement) => statement.includes('INDEX asks_to_hand_over')),
    'ALTER TABLE sessions DROP COLUMN version',
  ],
  '0014-token-persons': ['ALTER TABLE tokens DROP COLUMN person'],
  '0013-session-bytes': ['ALTER TABLE sessions DROP COLUMN bytes_day', 'ALTER TABLE sessions DROP COLUMN bytes_stored'],
  '0007-labels': [
    'DROP INDEX runs_claimable',
    'ALTER TABLE sessions DROP COLUMN labels',
    'ALTER TABLE runs DROP COLUMN labels',
    ...coreSchema(NO_KINDS).filter((statement) => statement.includes('INDEX runs_claimable')),
  ],
};
const UNDO_POSTGRES = () => ['DROP FUNCTION holdpoint_move_version CASCADE', ...UNDO].join(';');
const UNDO = [
  ...MIGRATION_NAMES.slice(1)
    .reverse()
    .flatMap((name) => TAKEN_BACK[name] ?? [`nobody has said here how to take ${name} back`]),
  `DELETE FROM kysely_migration WHERE name <> '0001-core'`,
];

const MANY_TABLES = `CREATE SCHEMA theirs; DO $$ BEGIN FOR i IN 1..400 LOOP
  EXECUTE format('CREATE TABLE theirs.t%s (a int, b int, c int, d int, e int, f int, g int, h int)', i);
  END LOOP; END $$`;

const postgres = postgresForAll();

const caller =
  ({ url }: Holdpoint) =>
  <T>(sent: Sent) =>
    send<T>(url, { token: TOKEN, ...sent });
type Call = ReturnType<typeof caller>;

describe('an upgrade from the first schema', () => {
  it('keeps pending asks answerable on SQLite', async () => {
    const data = temporaryFolder();
    const start = () => startHoldpoint({ via: 'main', data, env: SECRET });
    const before = await inFlight(await start());
    const db = new DatabaseSync(join(data, 'holdpoint.db'));
    const shape = () => db.prepare(`SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '%kysely%'`).all();
    for (const statement of UNDO) db.exec(statement);
    expect(new Set(shape().map(statementOf))).toEqual(new Set(firstShape()));
    db.close();
    const [server] = [await start()];
    await takenOver(caller(server), before);
    await server.end('SIGKILL');
  }, 180_000);

  it('keeps pending asks answerable on PostgreSQL with three servers that start at once', async () => {
    const database = await postgres.database();
    const start = () => startHoldpoint({ via: 'main', env: { ...SECRET, HOLDPOINT_DATABASE_URL: database.url } });
    const before = await inFlight(await start());
    await query(database.url, UNDO_POSTGRES());
    const servers = await Promise.all([start(), start(), start()]);
    const applied = await query(database.url, 'SELECT name FROM kysely_migration ORDER BY name');
    expect(applied.map((row) => row.name)).toEqual(MIGRATION_NAMES);
    await takenOver(caller(servers[1] as Holdpoint), before);
    for (const server of servers) await server.end('SIGKILL');
  }, 300_000);

  it('results in the schema of a new database, whichever of several servers begins', async () => {
    const database = await postgres.database();
    const newest = await shapeOf(database.url);
    await query(database.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await Promise.all(Array.from({ length: 6 }, () => migratePostgres(database.url)));
    expect(await shapeOf(database.url)).toEqual(newest);
    await query(database.url, UNDO_POSTGRES());
    await Promise.all(Array.from({ length: 6 }, () => migratePostgres(database.url)));
    expect(await shapeOf(database.url)).toEqual(newest);
    await database.drop();
  }, 180_000);

  it('gives way to a server that reads a table and then another one that is being changed', async () => {
    const database = await postgres.database();
    await query(database.url, UNDO_POSTGRES());
    const running = new pg.Client({ connectionString: database.url });
    await running.connect();
    await running.query('BEGIN; SELECT 1 FROM asks LIMIT 1');
    const migrated = migratePostgres(database.url);
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'asks'::regclass`;
    await expect.poll(async () => (await query(database.url, waiting)).length, { interval: 5 }).toBe(1);
    // The migration has changed sessions and waits for asks.
    await running.query('SELECT 1 FROM sessions LIMIT 1; COMMIT');
    await migrated;
    await running.end();
    const applied = await query(database.url, 'SELECT name FROM kysely_migration ORDER BY name');
    expect(applied.map((row) => row.name)).toEqual(MIGRATION_NAMES);
    await database.drop();
  }, 180_000);

  it('succeeds for a server that looks at the tables while another one drops some of them', async () => {
    const database = await postgres.database();
    // The migrator looks at every table of the database: among many others it takes its time.
    await query(database.url, MANY_TABLES);
    await query(database.url, UNDO_POSTGRES());
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN; LOCK TABLE asks IN ACCESS SHARE MODE');
    const others = async (condition: string) =>
      (await query(database.url, `SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${condition}`))
        .length;
    const first = migratePostgres(database.url);
    await expect.poll(() => others(`wait_event = 'relation' AND query LIKE '%asks%'`)).toBe(1);
    const second = migratePostgres(database.url);
    const looking = `state = 'active' AND (query LIKE '%pg_get_serial_sequence%' OR wait_event = 'advisory')`;
    await expect.poll(() => others(looking), { interval: 5 }).toBe(1);
    await reader.end();
    await Promise.all([first, second]);
    await query(database.url, 'DROP SCHEMA theirs CASCADE');
    await database.drop();
  }, 180_000);
});

it('starts three servers at once on an empty database with one operator token', async () => {
  const database = await postgres.database();
  await query(database.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const env = { ...SECRET, HOLDPOINT_DATABASE_URL: database.url };
  const servers = await Promise.all([1, 2, 3].map(() => startHoldpoint({ via: 'main', env })));
  const [first, second, third] = servers.map(caller) as [Call, Call, Call];
  await first({ path: '/v1/sessions', body: { session_id: 's', agent: 'external' } });
  const run = await second<RunView>({ path: '/v1/sessions/s/runs', body: { input: { text: 'x' } } });
  expect(run.body.status).toBe('running');
  const tokens = await third<{ name: string }[]>({ path: '/v1/tokens' });
  expect(tokens.body.filter((token) => token.name === 'operator')).toHaveLength(1);
  for (const server of servers) await server.end('SIGKILL');
}, 300_000);

interface Before {
  account: Account;
  pending: AskView[];
  due: AskView;
}

const QUESTIONS = [{ id: 'which', question: 'Which?', options: [{ id: 'a', label: 'A' }] }];

/** A question and an approval that are open in every mode there is, an answer nobody has acknowledged; then kill -9. */
async function inFlight(server: Holdpoint): Promise<Before> {
  const call = caller(server);
  const raise = async (session: string, body: object): Promise<AskView> => {
    await call({ path: '/v1/sessions', body: { session_id: session, agent: 'external' } });
    const run = await call<RunView>({ path: `/v1/sessions/${session}/runs`, body: { input: { text: session } } });
    return (await call<AskView>({ path: `/v1/runs/${run.body.run_id}/asks`, body })).body;
  };
  const question = { kind: 'question', tool_call_id: 'q', questions: QUESTIONS };
  const pending = [
    await raise('approval', { kind: 'approval', tool_call_id: 'a', tool_name: 'Bash', input: { command: 'make' } }),
    ...(await Promise.all(
      ['blocking', 'deferred', 'form', 'restart'].map((mode) => raise(mode, { ...question, mode })),
    )),
  ];
  const due = await raise('due', question);
  await answer(call, due);
  const account = await accountOf(call);
  await server.end('SIGKILL');
  return { account, pending, due };
}

async function takenOver(call: Call, { account, pending, due }: Before): Promise<void> {
  const { events, ...now } = await accountOf(call);
  const { events: eventsBefore, ...before } = account;
  expect(now).toEqual(before);
  expect(events.slice(0, eventsBefore.length)).toEqual(eventsBefore);
  const waiting = await call<AskView[]>({ path: '/v1/asks?delivery=due' });
  expect(waiting.body.map((ask) => ask.ask_id)).toEqual([due.ask_id]);
  for (const ask of pending) await answer(call, ask);
  const ended = await call<AskView[]>({ path: '/v1/asks?status=answered' });
  expect(new Set(ended.body.map((ask) => ask.ask_id))).toEqual(new Set([...pending, due].map((ask) => ask.ask_id)));
  for (const { ask_id, delivery } of ended.body)
    if (delivery.state === 'due') await call({ path: `/v1/asks/${ask_id}/delivered`, body: {} });
  const after = await accountOf(call);
  const complaints = audit({ ...noKnowledge(), liveRuns: new Set(after.runs.map((run) => run.run_id)) }, after);
  expect(complaints.filter((complaint) => /log|twice|order|claimed|raised|delivered|due/.test(complaint))).toEqual([]);
  const seqs = after.events.map((event: EventView) => event.seq);
  expect(Math.min(...seqs.slice(eventsBefore.length))).toBeGreaterThan(eventsBefore.at(-1)?.seq ?? 0);
}

async function answer(call: Call, { kind, run_id, ask_id }: AskView): Promise<void> {
  const answers = [{ question_id: 'which', selected_option_ids: ['a'] }];
  const told =
    kind === 'question'
      ? await call({ path: `/v1/runs/${run_id}/questions`, body: { resolution: { request_id: ask_id, answers } } })
      : await call({
          path: `/v1/runs/${run_id}/approvals`,
          body: { resolutions: [{ request_id: ask_id, behavior: 'allow' }] },
        });
  expect(told.status).toBe(202);
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows ?? [];
  } finally {
    await client.end();
  }
}

const shapeOf = async (url: string) => ({
  columns: await query(
    url,
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  ),
  indexes: await query(
    url,
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
  ),
});

/** The first schema as SQLite keeps it, made by its own statements. */
function firstShape(): string[] {
  const folder = temporaryFolder();
  const db = new DatabaseSync(join(folder, 'first.db'));
  for (const statement of coreSchema({
    ...NO_KINDS,
    position: 'INTEGER PRIMARY KEY',
    cursor: 'INTEGER PRIMARY KEY',
  }))
    db.exec(statement);
  const shape = db.prepare('SELECT name, sql FROM sqlite_master').all().map(statementOf);
  db.close();
  rmSync(folder, { recursive: true, force: true });
  return shape;
}

const statementOf = (row: Record<string, unknown>): string => `${row.name}: ${row.sql}`;
