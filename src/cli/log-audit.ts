// Audits a log, of a server, in files or of a backup, with the keys and witnesses that are given: the log itself, the witnesses'
// checkpoints in it and, of a server or a backup, its rows.
import { hash as digest } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { type Client, every, PAGE_SIZE } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { Audit, type AuditReport, eventOf } from '../core/audit.ts';
import type { Event } from '../core/event.ts';
import { ambiguityIn, membersOf } from '../core/json-ambiguity.ts';
import { EventView } from '../core/views.ts';
import { witnessFaults } from '../core/witness.ts';
import { verifySignature } from '../node/ed25519.ts';
import { linesOf } from '../node/lines.ts';
import { Failure } from './failure.ts';
import { eventPages, listSessions } from './paging.ts';
import { RowCheck, type RowSource } from './row-check.ts';

export interface LogReport extends AuditReport {
  /** How many rows of a server were compared with the log. */
  rows?: number;
  witnessed_checkpoints?: number;
}

export interface AuditWishes {
  /** Public keys that may have signed. */
  keys?: readonly string[];
  /** The lines of each witness. */
  witnesses?: readonly (readonly string[])[];
}

const hash = (text: string): string => digest('sha256', text);

export const auditFiles = (files: readonly string[], wishes: AuditWishes): Promise<LogReport> =>
  auditStored(mapped(readEvents(files)), undefined, wishes);

/** Of a server while it works. */
export const auditServer = (client: Client, wishes: AuditWishes): Promise<LogReport> =>
  auditStored(mapped(wholeLog(client)), serverRows(client), wishes);

/** Without `rows`, only the log. */
export async function auditStored(
  events: AsyncIterable<Event>,
  rows: RowSource | undefined,
  wishes: AuditWishes = {},
): Promise<LogReport> {
  const audit = new Audit(hash, verifySignature, wishes.keys);
  const check = new RowCheck(hash);
  for await (const event of events) {
    audit.add(event);
    if (rows) check.add(event);
  }
  const checked = await (rows && check.check(rows));
  const report = reportOf(audit, wishes);
  return checked ? { ...report, rows: checked.rows, faults: [...report.faults, ...checked.faults] } : report;
}

const serverRows = (client: Client): RowSource => ({
  sessionIds: async () => (await listSessions(client, { all: true })).map(({ session_id }) => session_id),
  async *records(id) {
    try {
      yield* every((page) => client.sessions.records(id, { ...page, limit: PAGE_SIZE }));
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.status !== 404) throw error;
    }
  },
  laterEvents: (id, after) =>
    mapped(
      eventPages(async (seen) => (await client.events.ofSession(id, { after: seen, limit: PAGE_SIZE })).items, after),
    ),
});

async function* mapped(views: AsyncIterable<EventView>): AsyncGenerator<Event> {
  for await (const view of views) yield eventOf(view);
}

function reportOf(audit: Audit, { keys = [], witnesses = [] }: AuditWishes): LogReport {
  const found = audit.report();
  const isUnsigned = keys.length > 0 && found.checkpoints === 0;
  const unsigned = 'nothing in this log is signed by the key that was given';
  const report = isUnsigned ? { ...found, faults: [...found.faults, unsigned] } : found;
  if (witnesses.length === 0) return report;
  const faults = witnesses.flatMap((lines) => witnessFaults(lines, audit.checkpoints, hash, verifySignature));
  return { ...report, witnessed_checkpoints: witnesses.flat().length, faults: [...report.faults, ...faults] };
}

export const wholeLog = (client: Client): AsyncGenerator<EventView> =>
  eventPages(async (after) => (await client.events.list({ after, limit: PAGE_SIZE })).items);

async function* readEvents(files: readonly string[]): AsyncGenerator<EventView> {
  for (const file of files) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    let at = 0;
    try {
      for await (const text of linesOf(input)) {
        at += 1;
        if (text.trim() === '') continue;
        const event: unknown = JSON.parse(text);
        if (ambiguityIn(text, membersOf(event)) !== undefined) throw new Error('a key is given twice');
        yield EventView.parse(event);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined)
        throw new Failure('usage', `cannot read ${file}: ${(error as Error).message}`);
      throw new Failure('altered', `line ${at} of ${file} is not an event of Holdpoint`);
    }
  }
}

export function readWitness(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure('usage', `cannot read the witness ${file}: ${(error as Error).message}`);
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 0) return lines;
  throw new Failure('usage', `the witness ${file} has no checkpoints, so nothing would be compared with it`);
}
