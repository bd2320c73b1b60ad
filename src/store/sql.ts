// Declares the calls that a database must offer, and the query compiler for lists whose filters vary. Statements are
// written with `?`; a dialect that numbers its parameters translates them once per text.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { MaybePromise } from '../core/ports.ts';
import type { Tables } from './tables.ts';

export type Value = string | number | null;

export interface Sql {
  all<Row>(text: string, values: readonly Value[]): MaybePromise<Row[]>;
  /** The number of rows changed. */
  run(text: string, values: readonly Value[]): MaybePromise<number>;
  /** The number of the new row, where the database returns it at no cost. */
  insert(text: string, values: readonly Value[]): MaybePromise<number | undefined>;
}

/** Calls `next` at once with a value that is there already: a database in this process costs no promise per statement. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => U): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Builds query texts and never runs them. */
export const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
