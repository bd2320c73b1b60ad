// `holdpoint db`: look at the database, bring it to the newest schema, move from SQLite to PostgreSQL.
import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { database } from '../boot.ts';
import { HoldpointError } from '../core/errors.ts';
import { type ServeFlags, settingsOf } from './serve.ts';

interface DbFlags extends Pick<ServeFlags, 'data' | 'databaseUrl'> {
  json?: boolean;
}

export function dbCommand(): Command {
  const db = new Command('db').description('look after the database');
  const withTarget = (command: Command): Command =>
    command
      .option('--data <folder>', 'state folder with the SQLite file (HOLDPOINT_DATA)')
      .option('--database-url <address>', 'PostgreSQL (HOLDPOINT_DATABASE_URL)')
      .option('--json', 'print JSON');
  withTarget(db.command('status').description('which migrations are applied, how much is in it')).action(
    reported(status),
  );
  withTarget(db.command('migrate').description('bring the schema up to date; `serve` does this by itself')).action(
    reported(migrate),
  );
  withTarget(
    db.command('copy').description('copy everything from SQLite to PostgreSQL; stop the server first; safe to repeat'),
  ).action(reported(copy));
  return db;
}

const reported = (action: (flags: DbFlags) => Promise<void>) => async (flags: DbFlags) => {
  try {
    await action(flags);
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`holdpoint: ${error instanceof HoldpointError ? message : `the database said: ${message}`}\n`);
    process.exitCode = 1;
  }
};

const settings = (flags: DbFlags) => settingsOf({ ...flags, allowHost: [], allowOrigin: [] }, process.env);

async function status(flags: DbFlags): Promise<void> {
  const found = await database.status(settings(flags));
  if (flags.json) return print(JSON.stringify(found));
  print(`database    ${found.dialect}`);
  for (const { name, applied_at } of found.migrations) print(`migration   ${name}  ${applied_at ?? 'not applied'}`);
  for (const [table, rows] of Object.entries(found.rows)) print(`${table.padEnd(10)}  ${rows}`);
}

async function migrate(flags: DbFlags): Promise<void> {
  const wanted = settings(flags);
  mkdirSync(wanted.data, { recursive: true, mode: 0o700 });
  await database.migrate(wanted);
  await status(flags);
}

async function copy(flags: DbFlags): Promise<void> {
  const { data, database: target } = settings(flags);
  if (!target) throw new Error('give the PostgreSQL address with --database-url or HOLDPOINT_DATABASE_URL');
  const counts = await database.copy(data, target.url, showProgress);
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (flags.json) return print(JSON.stringify(counts));
  for (const [table, rows] of Object.entries(counts)) print(`${table.padEnd(10)}  ${rows}`);
  print(
    'Copied. Start servers with HOLDPOINT_DATABASE_URL, and HOLDPOINT_SECRET_KEY set to the content of secret.key.',
  );
}

/** A bar on a terminal, nothing elsewhere. */
function showProgress({ table, copied, total }: { table: string; copied: number; total: number }): void {
  if (!process.stderr.isTTY) return;
  const width = 30;
  const done = Math.round((copied / Math.max(1, total)) * width);
  process.stderr.write(`\r${table.padEnd(10)} ${'█'.repeat(done)}${'░'.repeat(width - done)} ${copied}/${total}   `);
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
