// A database with history: real rows, made by the real server, multiplied inside SQLite. Sessions, runs, asks and events
// get ids of their own, of the length and order of real ones, so that every table and index has its true size and
// shape. Only the hashes of multiplied events are random: nobody reads them here.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import { CONTENDERS } from './contender.ts';
import { startServer } from './servers.ts';

/** Far below the 1 000 pending asks that a session may have. */
const ASKS_PER_SESSION = 100;

interface Pattern {
  sessionId: string;
  runId: string;
  askId: string;
}

export interface History {
  pending: number;
  ended: number;
}

/** Adds the history to the state folder of a server that is not running. */
export async function seed(folder: string, history: History, batch: string): Promise<void> {
  const patterns = await makePatterns(folder);
  const db = new DatabaseSync(join(folder, 'holdpoint.db'));
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
  multiply(db, patterns.ended, history.ended, `${batch}0`);
  multiply(db, patterns.pending, history.pending, `${batch}1`);
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  flush(join(folder, 'holdpoint.db'));
}

/** One ask that was answered and acknowledged, and one that is open, each in a session of its own. */
async function makePatterns(folder: string): Promise<{ ended: Pattern; pending: Pattern }> {
  const server = await startServer('holdpoint', folder);
  const agent = await Connection.open(server.agent);
  const person = await Connection.open(server.person);
  const raise = async (acknowledge: boolean): Promise<string> => {
    const calls = await CONTENDERS.holdpoint.startAgent(agent);
    const askId = calls.askIdOf(await agent.post(calls.ask(0)));
    if (acknowledge) {
      await person.post(calls.answer(askId));
      await agent.post(calls.acknowledge(askId));
    }
    return askId;
  };
  const askIds = { ended: await raise(true), pending: await raise(false) };
  agent.close();
  person.close();
  await server.stop();
  const db = new DatabaseSync(join(folder, 'holdpoint.db'));
  const find = db.prepare('SELECT session_id AS sessionId, run_id AS runId, id AS askId FROM asks WHERE id = ?');
  const patternOf = (askId: string): Pattern => ({ ...find.get(askId) }) as unknown as Pattern;
  const patterns = { ended: patternOf(askIds.ended), pending: patternOf(askIds.pending) };
  db.close();
  return patterns;
}

function multiply(db: DatabaseSync, pattern: Pattern, asks: number, batch: string): void {
  const { sessionId, runId, askId } = pattern;
  const sessions = Math.ceil(asks / ASKS_PER_SESSION);
  const isPending =
    (db.prepare('SELECT status FROM asks WHERE id = ?').get(askId) as { status: string }).status === 'pending';
  // 26 characters after the prefix, below every id that a clock would make today.
  const own = (k: string) => `'00${batch}' || printf('%0${24 - batch.length}d', ${k})`;
  const ofAsk = `(k / ${ASKS_PER_SESSION})`;
  const ask = `'ask_' || ${own(ofAsk)} || '_' || printf('%08x%08x', (k * 2654435761) % 4294967296, k)`;
  const sessionSeq = `(k % ${ASKS_PER_SESSION}) * 8 + p.session_seq`;
  const scattered = `lower(hex(randomblob(32)))`;
  copyRows(db, 'sessions', `id = '${sessionId}'`, sessions, {
    id: `'ses_' || ${own('k')}`,
    active_run_id: `'run_' || ${own('k')}`,
    pending_count: isPending ? String(ASKS_PER_SESSION) : '0',
  });
  copyRows(db, 'runs', `id = '${runId}'`, sessions, {
    id: `'run_' || ${own('k')}`,
    session_id: `'ses_' || ${own('k')}`,
  });
  copyRows(db, 'asks', `id = '${askId}'`, asks, {
    id: ask,
    session_id: `'ses_' || ${own(ofAsk)}`,
    run_id: `'run_' || ${own(ofAsk)}`,
    tool_call_id: `'call_' || k`,
  });
  copyRows(db, 'events', `ask_id = '${askId}'`, asks, {
    id: `'evt_ses_' || ${own(ofAsk)} || '_' || (${sessionSeq})`,
    session_seq: sessionSeq,
    session_id: `'ses_' || ${own(ofAsk)}`,
    run_id: `'run_' || ${own(ofAsk)}`,
    ask_id: ask,
    data: `replace(p.data, '${askId}', ${ask})`,
    hash: scattered,
    prev_hash: scattered,
  });
}

/** `count` copies of each row that matches, in order, with `k` counting from 0. The row's own number is given anew. */
function copyRows(
  db: DatabaseSync,
  table: string,
  where: string,
  count: number,
  changes: Record<string, string>,
): void {
  if (count === 0) return;
  const columns = (db.prepare(`PRAGMA table_info(${table})`).all() as { name: string; pk: number }[])
    .filter((column) => column.pk === 0)
    .map((column) => column.name);
  const values = columns.map((name) => changes[name] ?? `p.${name}`);
  db.exec(`CREATE TEMP TABLE patterns AS SELECT * FROM ${table} WHERE ${where};
    WITH RECURSIVE counter (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM counter WHERE k < ${count - 1})
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM counter CROSS JOIN temp.patterns AS p;
    DROP TABLE temp.patterns`);
}

/** What is still on its way to the disk would disturb the measurements after it. */
function flush(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
