// Reads rows as records. A row that cannot be read is a named problem for a caller that wants just that row, and is left
// out of every list.
import { fail } from '../core/errors.ts';
import type { MaybePromise, Positioned } from '../core/ports.ts';
import { andThen, type Sql, type Value } from './sql.ts';

interface Compilable {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
}

export function rowReads(sql: Sql) {
  const many = <Row, T>(text: string, values: Value[], map: (row: Row) => T): MaybePromise<T[]> =>
    andThen(sql.all<Row>(text, values), (rows) => rows.flatMap((row) => ifReadable(row, map)));
  return {
    many,
    one: <Row, T>(text: string, values: Value[], map: (row: Row) => T): MaybePromise<T | undefined> =>
      andThen(sql.all<Row>(text, values), ([row]) => (row === undefined ? undefined : readable(row, map))),
    /** Each record with its position in the list. */
    page<Row, T>(query: Compilable, map: (row: Row) => T): MaybePromise<Positioned<T>[]> {
      const { sql: text, parameters } = query.compile();
      return many(text, parameters as Value[], (row: Row & { n: number }) => ({ at: row.n, value: map(row) }));
    },
  };
}

export function readable<Row, T>(row: Row, map: (row: Row) => T): T {
  try {
    return map(row);
  } catch (error) {
    const { id = 'of unknown id' } = row as { id?: string };
    throw fail('record_unreadable', `The stored record ${id} is damaged (${(error as Error).message}).`);
  }
}

function ifReadable<Row, T>(row: Row, map: (row: Row) => T): T[] {
  try {
    return [map(row)];
  } catch {
    return [];
  }
}
