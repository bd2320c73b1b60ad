// Reads pages of lists whose filters vary, with queries compiled by Kysely. A page may be bounded in bytes: the sizes of
// its rows are read first, from their headers alone, and only the rows that fit are read whole.
import { type RawBuilder, sql as raw, type SelectQueryBuilder } from 'kysely';
import type { MaybePromise, Page, Positioned, Reader } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { rowReads } from './row-reads.ts';
import { compiler, type Sql, type Value } from './sql.ts';
import { MESSAGE, SESSION, TOKEN, toAsk, toRun } from './tables.ts';

type Lists = Pick<Reader, 'sessions' | 'runs' | 'asks' | 'messages' | 'tokens'>;
// biome-ignore lint/suspicious/noExplicitAny: a query of any list; its rows are named where they are mapped
type Query = SelectQueryBuilder<any, any, object>;

/** The columns of a row that may be large. */
const SIZE = {
  sessions: raw<number>`COALESCE(OCTET_LENGTH(last_message), 0)`,
  runs: raw<number>`OCTET_LENGTH(input) + COALESCE(OCTET_LENGTH(clarification), 0)`,
  asks: raw<number>`OCTET_LENGTH(content) + COALESCE(OCTET_LENGTH(answer), 0)`,
  messages: raw<number>`OCTET_LENGTH(payload)`,
  tokens: raw<number>`0`,
};

const literal = (value: string) => raw.lit<string>(value);

export function listReads(sql: Sql): Lists {
  const { many } = rowReads(sql);

  const pageOf = <Row, T>(query: Query, size: RawBuilder<number>, page: Page, map: (row: Row) => T) => {
    const rows = (limit: number): MaybePromise<Positioned<T>[]> =>
      allOf(query.selectAll().limit(limit), (row) => ({ at: row.n, value: map(row as Row) }));
    return page.bytes === undefined ? rows(page.limit) : sizedRows(page.limit, page.bytes);

    async function sizedRows(limit: number, bytes: number): Promise<Positioned<T>[]> {
      const sizes = await allOf(query.select(['n', size.as('size')]).limit(limit), (row) => row);
      const sizeAt = new Map(withinBytes(sizes, bytes).map((row) => [row.n, row.size]));
      return (await rows(sizeAt.size)).map((row) => ({ ...row, bytes: sizeAt.get(row.at) ?? 0 }));
    }
  };

  const allOf = <T>(query: Query, map: (row: { n: number; size: number }) => T): MaybePromise<T[]> => {
    const { sql: text, parameters } = query.compile();
    return many(text, parameters as Value[], map);
  };

  return {
    sessions(filter, page) {
      const { isPast, from, order } = direction(filter, page);
      let query = compiler.selectFrom('sessions').where('n', isPast, from).where('id', '<>', SYSTEM_SESSION);
      if (filter.id !== undefined) query = query.where('id', '=', filter.id);
      if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      if (filter.parentId !== undefined) query = query.where('parent_session_id', '=', filter.parentId);
      return pageOf(query.orderBy('n', order), SIZE.sessions, page, SESSION.read);
    },
    runs(filter, page) {
      const { isPast, from, order } = direction(filter, page);
      let query = compiler.selectFrom('runs').where('n', isPast, from);
      if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
      if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      return pageOf(query.orderBy('n', order), SIZE.runs, page, toRun);
    },
    asks(filter, page) {
      let query = compiler.selectFrom('asks').where('n', '>', page.after ?? 0);
      if (filter.status === 'ended') query = query.where('status', '<>', 'pending');
      // A literal, so that the partial index on pending asks is used.
      else if (filter.status === 'pending') query = query.where('status', '=', literal('pending'));
      else if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
      if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
      const { runId } = filter;
      if (runId !== undefined)
        query = query
          .where('session_id', '=', (eb) => eb.selectFrom('runs').select('session_id').where('id', '=', runId))
          .where('run_id', '=', runId);
      if (filter.delivery === 'due') query = query.where('delivery', '=', literal('due'));
      else if (filter.delivery !== undefined) query = query.where('delivery', '=', filter.delivery);
      const { agent } = filter;
      if (agent !== undefined)
        query = query.where('session_id', 'in', (eb) =>
          eb.selectFrom('sessions').select('id').where('agent', '=', agent),
        );
      return pageOf(query.orderBy('n'), SIZE.asks, page, toAsk);
    },
    messages(sessionId, which, page) {
      const ofSession = compiler.selectFrom('messages').where('session_id', '=', sessionId);
      const query =
        which === 'dead'
          ? ofSession.where('dead_at', 'is not', null)
          : ofSession.where('acked_at', 'is', null).where('dead_at', 'is', null);
      return pageOf(query.where('n', '>', page.after ?? 0).orderBy('n'), SIZE.messages, page, MESSAGE.read);
    },
    tokens(page) {
      const newer = compiler.selectFrom('tokens').where('n', '>', page.after ?? 0);
      return pageOf(newer.orderBy('n'), SIZE.tokens, page, TOKEN.read);
    },
  };
}

/** A list that goes back in time continues before the position of its page. */
const direction = ({ newestFirst }: { newestFirst?: boolean | undefined }, { after }: Page) =>
  newestFirst
    ? ({ isPast: '<', from: after ?? Number.MAX_SAFE_INTEGER, order: 'desc' } as const)
    : ({ isPast: '>', from: after ?? 0, order: 'asc' } as const);

/** The first rows up to the one with which they reach the size. */
function withinBytes<T extends { size: number }>(rows: readonly T[], bytes: number): T[] {
  let before = 0;
  return rows.filter(({ size }) => {
    before += size;
    return before - size < bytes;
  });
}
