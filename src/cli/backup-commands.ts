// `holdpoint db backup` and `db restore`: what they write, check and say. PostgreSQL has tools of its own for both: here they
// are named with the address of this database.
import { resolve } from 'node:path';
import type { BackupLog } from '../boot/restore.ts';
import type { Settings } from '../boot/server.ts';
import { instant } from '../client/times.ts';
import { shellQuote } from '../node/shell-quote.ts';
import type { Command } from './command.ts';
import { type DatabaseFlags, databaseCommand, databaseSettings, reported } from './database-command.ts';
import { Failure } from './failure.ts';
import { auditStored, type LogReport } from './log-audit.ts';
import { note, print, printJson } from './output.ts';
import { type Line, line, span } from './text/spans.ts';

export function backupCommand(): Command {
  return databaseCommand(
    'backup',
    'write a backup of SQLite to a new file, while the server runs',
    'holdpoint db backup holdpoint-backup.db',
  )
    .argument('<file>', 'a new file')
    .action(reported(backUp));
}

async function backUp(file: string, flags: DatabaseFlags): Promise<void> {
  const settings = databaseSettings(flags);
  refusePostgres(
    settings,
    'this is PostgreSQL: back it up with its own tools, while servers run',
    (connection) => `pg_dump --format=custom --file=${shellQuote(file)} ${connection}`,
  );
  const { database } = await import('../boot/database.ts');
  const backup = database.backUp(settings.data, file);
  if (flags.json) return printJson(backup);
  const until = backup.at_ms === null ? '' : `, the last one of ${instant(backup.at_ms)}`;
  print(line(span('✓ ', 'good'), `${backup.file}: ${backup.events} events${until}; ${backup.bytes} bytes`));
  note(`the keys are not in it: keep ${keysOf(settings)} apart from the backups. No server starts without it`);
}

const keysOf = ({ secretKey, data }: Settings): string =>
  secretKey === undefined ? resolve(data, 'secret.key') : 'HOLDPOINT_SECRET_KEY';

interface RestoreFlags extends DatabaseFlags {
  replace?: boolean;
  check?: boolean;
}

export function restoreCommand(): Command {
  return databaseCommand(
    'restore',
    'verify a backup and make it the database; stop the server first',
    'holdpoint db restore holdpoint-backup.db --check',
    'holdpoint db restore holdpoint-backup.db --replace',
  )
    .argument('<file>', 'what `db backup` wrote')
    .option('--replace', 'replace the database that is there; it is kept under another name')
    .option('--check', 'only verify the backup; changes nothing, and the server may run')
    .action(reported(restore));
}

async function restore(file: string, { replace = false, check, ...flags }: RestoreFlags): Promise<void> {
  const settings = databaseSettings(flags);
  refusePostgres(
    settings,
    'this is PostgreSQL: restore it with its own tools, into an empty database that no server uses',
    (connection) => `pg_restore --single-transaction --no-owner ${connection} ${shellQuote(file)}`,
  );
  const { checkBackup, restoreBackup } = await import('../boot/restore.ts');
  if (check) {
    const verified = await checkBackup(settings, file, (log) => verify(file, log));
    return flags.json ? printJson({ ok: true, ...verified.report }) : print(...verified.lines);
  }
  const { verified, replaced } = await restoreBackup(settings, file, { replace, verify: (log) => verify(file, log) });
  if (flags.json) return printJson({ ok: true, ...verified.report, ...(replaced && { replaced }) });
  print(...verified.lines);
  print(line(span('✓ ', 'good'), `it is now the database in ${resolve(settings.data)}`));
  if (replaced) print(line(`  the one before it is kept: ${replaced}`));
  note('requests that were answered after the backup are open again: see "After a restore" in docs/operations.md');
}

async function verify(
  file: string,
  { isCopy, events, rows, canSignWith }: BackupLog,
): Promise<{ report: LogReport; lines: Line[] }> {
  const report = await auditStored(events(), typeof rows === 'string' ? undefined : rows);
  const { faults, keys, checkpoints } = report;
  if (faults.length > 0)
    throw new Failure(
      'altered',
      `${file} was altered, or part of it is missing; nothing was changed`,
      ...faults.slice(0, SHOWN_FAULTS),
    );
  if (isCopy)
    note(`${file} is a copy of a server's file, not a backup: changes that were in its write-ahead log are missing`);
  const good = (text: string) => line(span('✓ ', 'good'), text);
  const warn = (text: string) => line(span('! ', 'warn'), text);
  const lines = [
    good(
      `${report.events} events in ${report.sessions} sessions verify; events that no checkpoint signs: ${report.unsigned_events}`,
    ),
  ];
  lines.push(
    typeof rows === 'string'
      ? warn(`rows were not compared with the log: ${rows}. Run \`holdpoint audit verify\` on the server`)
      : good(`${report.rows} rows are what the log says`),
  );
  const signer = keys.at(-1);
  if (checkpoints > 0 && signer !== undefined && canSignWith?.(signer) === false)
    lines.push(
      warn(`no key here signs this log: put the audit.key whose public key is ${signer} into the state folder`),
    );
  return { report, lines };
}

const SHOWN_FAULTS = 5;

/** Says which command does it there. The password belongs in PGPASSWORD or ~/.pgpass: a command line is no secret. */
function refusePostgres({ database }: Settings, message: string, command: (connection: string) => string): void {
  if (!database) return;
  const { hostname, port, username, pathname } = new URL(database.url);
  const parts = { host: hostname, port, username, dbname: pathname.slice(1) };
  const given = Object.entries(parts).filter(([, value]) => value !== '');
  const options = given.map(([name, value]) => `--${name}=${shellQuote(decodeURIComponent(value))}`);
  throw new Failure('usage', message, command(options.join(' ')));
}
