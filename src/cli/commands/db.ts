// `holdpoint db`: shows the state of the database, migrates it, and copies SQLite to PostgreSQL.
import { mkdirSync } from 'node:fs';
import { HoldpointError } from '../../core/errors.ts';
import { Command } from '../command.ts';
import { Failure } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { line } from '../text/spans.ts';
import { type ServeFlags, settingsOf } from './serve.ts';

interface DbFlags extends Pick<ServeFlags, 'data' | 'databaseUrl'> {
  json?: boolean;
}

export function dbCommand(): Command {
  const command = new Command('db', 'the database: status, migrate, copy').withExamples('holdpoint db status');
  const add = (name: string, about: string, example: string, action: (flags: DbFlags) => Promise<void>): void => {
    const subcommand = new Command(name, about)
      .option('--data <folder>', 'state folder with the SQLite file (HOLDPOINT_DATA)')
      .option('--database-url <address>', 'PostgreSQL (HOLDPOINT_DATABASE_URL)')
      .option('--json', 'print JSON')
      .withExamples(example);
    command.addCommand(subcommand.action(reported(action)));
  };
  add('status', 'applied migrations and row counts', 'holdpoint db status --json', status);
  add('migrate', 'bring the schema up to date; `serve` does this on its own', 'holdpoint db migrate', migrate);
  add(
    'copy',
    'copy everything from SQLite to PostgreSQL; stop the server first; safe to repeat',
    'holdpoint db copy --database-url postgres://holdpoint:secret@127.0.0.1:5432/holdpoint',
    copy,
  );
  return command;
}

/** Errors of the database are reported as such. */
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
  print(line(`database    ${found.dialect}`));
  for (const { name, applied_at } of found.migrations)
    print(line(`migration   ${name}  ${applied_at ?? 'not applied'}`));
  printCounts(found.rows);
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
  printCounts(counts);
  print(
    line(
      'Copied. Start servers with HOLDPOINT_DATABASE_URL, and HOLDPOINT_SECRET_KEY set to the content of secret.key.',
    ),
  );
}

/** A progress bar; nothing without a terminal. */
function showProgress({ table, copied, total }: { table: string; copied: number; total: number }): void {
  if (!process.stderr.isTTY) return;
  const width = 30;
  const done = Math.round((copied / Math.max(1, total)) * width);
  process.stderr.write(`\r${table.padEnd(10)} ${'█'.repeat(done)}${'░'.repeat(width - done)} ${copied}/${total}   `);
}

function printCounts(rows: Record<string, number>): void {
  for (const [table, count] of Object.entries(rows)) print(line(`${table.padEnd(10)}  ${count}`));
}
