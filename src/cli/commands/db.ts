// `holdpoint db`: look at the database, bring it to the newest schema, move from SQLite to PostgreSQL.
import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { HoldpointError } from '../../core/errors.ts';
import { Failure } from '../failure.ts';
import { withExamples } from '../help-examples.ts';
import { printJson } from '../output.ts';
import { type ServeFlags, settingsOf } from './serve.ts';

interface DbFlags extends Pick<ServeFlags, 'data' | 'databaseUrl'> {
  json?: boolean;
}

export function dbCommand(): Command {
  const command = new Command('db').description('look after the database: status, migrate, copy');
  withExamples(command, 'holdpoint db status');
  const below = (name: string, about: string, example: string, action: (flags: DbFlags) => Promise<void>): void => {
    const one = new Command(name)
      .description(about)
      .option('--data <folder>', 'state folder with the SQLite file (HOLDPOINT_DATA)')
      .option('--database-url <address>', 'PostgreSQL (HOLDPOINT_DATABASE_URL)')
      .option('--json', 'print JSON');
    command.addCommand(withExamples(one, example).action(reported(action)));
  };
  below('status', 'which migrations are applied, how much is in it', 'holdpoint db status --json', status);
  below('migrate', 'bring the schema up to date; `serve` does this by itself', 'holdpoint db migrate', migrate);
  below(
    'copy',
    'copy everything from SQLite to PostgreSQL; stop the server first; safe to repeat',
    'holdpoint db copy --database-url postgres://holdpoint:secret@127.0.0.1:5432/holdpoint',
    copy,
  );
  return command;
}

/** What a database says is told as what it is. */
const reported = (action: (flags: DbFlags) => Promise<void>) => async (flags: DbFlags) => {
  try {
    await action(flags);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { message } = error as Error;
    throw new Failure('unexpected', error instanceof HoldpointError ? message : `the database said: ${message}`);
  }
};

const settings = (flags: DbFlags) => settingsOf({ ...flags, allowHost: [], allowOrigin: [] }, process.env);

async function status(flags: DbFlags): Promise<void> {
  const { database } = await import('../../boot/database.ts');
  const found = await database.status(settings(flags));
  if (flags.json) return printJson(found);
  print(`database    ${found.dialect}`);
  for (const { name, applied_at } of found.migrations) print(`migration   ${name}  ${applied_at ?? 'not applied'}`);
  for (const [table, rows] of Object.entries(found.rows)) print(`${table.padEnd(10)}  ${rows}`);
}

async function migrate(flags: DbFlags): Promise<void> {
  const wanted = settings(flags);
  mkdirSync(wanted.data, { recursive: true, mode: 0o700 });
  const { database } = await import('../../boot/database.ts');
  await database.migrate(wanted);
  await status(flags);
}

async function copy(flags: DbFlags): Promise<void> {
  const { data, database: target } = settings(flags);
  if (!target) throw new Failure('usage', 'give the PostgreSQL address with --database-url or HOLDPOINT_DATABASE_URL');
  const { database } = await import('../../boot/database.ts');
  const counts = await database.copy(data, target.url, showProgress);
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (flags.json) return printJson(counts);
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
