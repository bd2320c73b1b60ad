// `holdpoint db`: shows the state of the database, migrates it, copies SQLite to PostgreSQL, backs it up and restores it.
import { mkdirSync } from 'node:fs';
import { backupCommand, restoreCommand } from '../backup-commands.ts';
import { Command } from '../command.ts';
import { type DatabaseFlags, databaseCommand, databaseSettings, reported } from '../database-command.ts';
import { Failure } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { line } from '../text/spans.ts';

export function dbCommand(): Command {
  return new Command('db', 'the database: status, migrate, copy, backup, restore')
    .withExamples('holdpoint db status')
    .withSubcommands(
      databaseCommand('status', 'applied migrations and row counts', 'holdpoint db status --json').action(
        reported(status),
      ),
      databaseCommand(
        'migrate',
        'bring the schema up to date; `serve` does this on its own',
        'holdpoint db migrate',
      ).action(reported(migrate)),
      databaseCommand(
        'copy',
        'copy everything from SQLite to PostgreSQL; stop the server first; safe to repeat',
        'holdpoint db copy --database-url postgres://holdpoint:secret@127.0.0.1:5432/holdpoint',
      ).action(reported(copy)),
      backupCommand(),
      restoreCommand(),
    );
}

async function status(flags: DatabaseFlags): Promise<void> {
  const { database } = await import('../../boot/database.ts');
  const found = await database.status(databaseSettings(flags));
  if (flags.json) return printJson(found);
  print(line(`database    ${found.dialect}`));
  for (const { name, applied_at } of found.migrations)
    print(line(`migration   ${name}  ${applied_at ?? 'not applied'}`));
  printCounts(found.rows);
}

async function migrate(flags: DatabaseFlags): Promise<void> {
  const wanted = databaseSettings(flags);
  mkdirSync(wanted.data, { recursive: true, mode: 0o700 });
  const { database } = await import('../../boot/database.ts');
  await database.migrate(wanted);
  await status(flags);
}

async function copy(flags: DatabaseFlags): Promise<void> {
  const { data, database: target } = databaseSettings(flags);
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
