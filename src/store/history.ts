// Reads ended asks, newest first, one range of positions at a time: by position alone, so that a million of them need no
// index and cost writers nothing. Search terms only narrow the rows here; the caller decides what matches.
import { sql as raw } from 'kysely';
import type { Answer } from '../core/ask.ts';
import type { Outcome, PastFilter, Reader } from '../core/ports.ts';
import { rowReads } from './row-reads.ts';
import { compiler, type Sql } from './sql.ts';
import { toEnded } from './tables.ts';

type History = Pick<Reader, 'stretch' | 'pastAsks' | 'pastOutcomes' | 'askPositionAt'>;

/** One range is read in one step, in which nothing else happens. */
const LONGEST_STRETCH = 1024 * 1024;
/** How many characters of an ask's content are read for the name of its tool. */
const HEAD_CHARACTERS = 600;
/** LIKE compares a term at every place of a text, so long terms or many would cost seconds. Callers look for all of them. */
const LONGEST_TERM = 16;
const MOST_TERMS = 3;
const OUTCOMES = `SELECT a.kind, a.run_id, a.created_at, a.answer, s.id, s.agent, s.agent_id, s.project_ids, s.work_folder,
    SUBSTR(a.content, 1, ${HEAD_CHARACTERS}) AS head
  FROM asks a JOIN sessions s ON s.id = a.session_id
  WHERE a.n >= ? AND a.n < ? AND a.status <> 'pending' ORDER BY a.n DESC`;

export const historyReads = (sql: Sql): History => ({
  async stretch(before, length, sessionId) {
    const own = sessionId === undefined ? '' : ' AND session_id = ?';
    const rows = await sql.all<{ low: number | null; at: number }>(
      `SELECT n AS low, created_at AS at FROM asks WHERE n = (SELECT MIN(n) FROM
         (SELECT n, SUM(size) OVER (ORDER BY n DESC) - size AS newer FROM
           (SELECT n, OCTET_LENGTH(content) + COALESCE(OCTET_LENGTH(answer), 0) AS size
             FROM asks WHERE n < ?${own} ORDER BY n DESC LIMIT ${length}) AS sized) AS newest
         WHERE newer < ${LONGEST_STRETCH})`,
      sessionId === undefined ? [before] : [before, sessionId],
    );
    const [row] = rows;
    return row && row.low !== null ? { low: row.low, at: row.at } : undefined;
  },

  pastAsks: (filter, low, before) => rowReads(sql).page(pastQuery(filter, low, before), toEnded),

  async pastOutcomes(low, before) {
    const rows = await sql.all<OutcomeRow>(OUTCOMES, [low, before]);
    return rows.flatMap((row) => {
      const answer = answerOf(row.answer);
      if (!answer) return [];
      const { outcome, answered_by: by, surface, answered_at_ms: endedAt, behavior } = answer;
      const tool = row.kind === 'approval' ? toolIn(row.head) : undefined;
      return [
        {
          session: placeOf(row),
          runId: row.run_id,
          tool,
          outcome,
          by,
          surface,
          behavior,
          askedAt: row.created_at,
          endedAt,
        },
      ];
    });
  },

  /** Asks are numbered in order of arrival, so an instant is found by binary search. */
  async askPositionAt(at) {
    const [last] = await sql.all<{ n: number | null }>(`SELECT MAX(n) AS n FROM asks`, []);
    let [low, high] = [0, (last?.n ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await sql.all<{ n: number; at: number }>(
        `SELECT n, created_at AS at FROM asks WHERE n >= ? ORDER BY n LIMIT 1`,
        [middle],
      );
      if (!row || row.at >= at) high = middle;
      else low = row.n + 1;
    }
    return low;
  },
});

interface OutcomeRow {
  kind: string;
  run_id: string;
  created_at: number;
  answer: string | null;
  id: string;
  agent: string;
  agent_id: string;
  project_ids: string;
  work_folder: string | null;
  head: string;
}

const placeOf = ({ id, agent, agent_id, project_ids, work_folder }: OutcomeRow): Outcome['session'] => ({
  id,
  agent,
  agentId: agent_id,
  projectIds: JSON.parse(project_ids) as string[],
  workFolder: work_folder ?? undefined,
});

function pastQuery(filter: PastFilter, low: number, before: number) {
  let query = compiler
    .selectFrom('asks')
    .innerJoin('sessions', 'sessions.id', 'asks.session_id')
    .selectAll('asks')
    .where('asks.n', '>=', low)
    .where('asks.n', '<', before);
  if (filter.sessionId !== undefined) query = query.where('asks.session_id', '=', filter.sessionId);
  if (filter.status === undefined) query = query.where('asks.status', '<>', 'pending');
  else query = query.where('asks.status', '=', filter.status);
  if (filter.kind !== undefined) query = query.where('asks.kind', '=', filter.kind);
  if (filter.agent !== undefined) query = query.where('sessions.agent', '=', filter.agent);
  for (const term of filter.terms.filter(isPlain).slice(0, MOST_TERMS))
    query = query.where(({ or }) => or(PLACES.map((place) => contains(place, term.slice(0, LONGEST_TERM)))));
  return query.orderBy('asks.n', 'desc');
}

const PLACES = ['asks.content', 'asks.answer', 'sessions.title', 'sessions.agent', 'sessions.agent_id'].concat([
  'sessions.work_folder',
  'sessions.project_ids',
  'sessions.id',
  'asks.status',
  'asks.id',
]);

/** Databases agree on the case of ASCII letters only, and JSON text escapes quotes and backslashes. */
const isPlain = (term: string): boolean => /^[\x20-\x7e]+$/.test(term) && !/["\\]/.test(term);

const contains = (place: string, term: string) =>
  raw<boolean>`LOWER(${raw.ref(place)}) LIKE ${`%${term.replaceAll(/[%_!]/g, '!$&')}%`} ESCAPE '!'`;

function answerOf(text: string | null): Answer | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Answer);
  } catch {
    return undefined;
  }
}

/** The content begins with the tool's name; the rest may be long and is not read. */
function toolIn(head: string): string | undefined {
  const found = /"tool_name":("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as string);
}
