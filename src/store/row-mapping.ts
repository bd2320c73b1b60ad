// Maps a record to the columns of its table, both ways, from one list of its fields: a field that is missing, misspelled or
// stored as another type does not compile. Builds the INSERT and UPDATE statements of the record from the same list.
// The functions that read and write a row are generated, because they run for every row.
import type { Value } from './sql.ts';

/** How a field is stored that is neither text, number nor JSON. */
export interface Codec<T, Stored extends Value> {
  write(value: T): Stored;
  read(stored: Stored): T;
}

/** `plain` stores the value as it is, `json` its JSON text; undefined is NULL in both. */
type Kind<T> = ([T] extends [string | number | undefined] ? 'plain' : never) | 'json' | Codec<T, Value>;
type Fields<T> = { [Field in keyof T]: Kind<T[Field]> };
/** Columns that are written only, because what they hold is part of another field. */
type Derived<T> = Record<string, (record: T) => Value>;

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
type Plain<T> = T extends undefined ? null : T extends string ? string : number;
type Stored<T, Kind> =
  Kind extends Codec<T, infer S> ? S : Kind extends 'json' ? string | (T extends undefined ? null : never) : Plain<T>;
type Row<T, F, D extends Derived<never>> = {
  [Field in keyof F as SnakeCase<Field>]: Stored<T[Field & keyof T], F[Field]>;
} & {
  [Column in keyof D]: ReturnType<D[Column]>;
};

export interface RowMapping<T, Read, Row> {
  readonly table: string;
  readonly columns: readonly (keyof Row & string)[];
  read(row: Row): Read;
  /** Lists the values of these columns for a record. */
  values(columns: readonly (keyof Row & string)[]): (record: T) => Value[];
  /** The same as an object with the names of the columns. */
  row(columns: readonly (keyof Row & string)[]): (record: T) => Record<string, Value>;
}

export type RowOf<Mapping> = Mapping extends RowMapping<never, unknown, infer Row> ? Row : never;

const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `rowMapping<Record>()(table, fields)`: the record is named, everything else is inferred. */
export const rowMapping =
  <T, Field extends keyof T = keyof T>() =>
  <F extends Fields<Pick<T, Field>>, D extends Derived<T> = Record<never, never>>(
    table: string,
    fields: F & Record<Exclude<keyof F, Field>, never>,
    derived?: D & Derived<T>,
  ): RowMapping<T, Pick<T, Field>, Row<T, F, D>> => {
    const reads: string[] = [];
    const writes: Record<string, string> = {};
    for (const [field, kind] of Object.entries(fields)) {
      const column = columnOf(field);
      const { read, write } = EXPRESSIONS[typeof kind === 'string' ? (kind as 'plain' | 'json') : 'codec'];
      reads.push(`${field}: ${read(`row.${column}`, field)}`);
      writes[column] = write(`record.${field}`, field);
    }
    for (const column of Object.keys(derived ?? {})) writes[column] = `derived.${column}(record)`;
    return {
      table,
      columns: Object.keys(writes) as (keyof Row<T, F, D> & string)[],
      read: new Function('codecs', `return (row) => ({ ${reads.join(', ')} });`)(fields),
      values: (columns) => {
        const list = columns.map((column) => writes[column]).join(', ');
        return new Function('codecs', 'derived', `return (record) => [${list}];`)(fields, derived);
      },
      row: (columns) => {
        const list = columns.map((column) => `${column}: ${writes[column]}`).join(', ');
        return new Function('codecs', 'derived', `return (record) => ({ ${list} });`)(fields, derived);
      },
    };
  };

const EXPRESSIONS = {
  plain: { read: (at: string) => `${at} ?? undefined`, write: (at: string) => `${at} ?? null` },
  json: {
    read: (at: string) => `${at} === null ? undefined : JSON.parse(${at})`,
    write: (at: string) => `${at} === undefined ? null : JSON.stringify(${at})`,
  },
  codec: {
    read: (at: string, field: string) => `codecs.${field}.read(${at})`,
    write: (at: string, field: string) => `codecs.${field}.write(${at})`,
  },
};

/** The text of the statement, and its values for a record. */
export type RowStatement<T> = (record: T) => [text: string, values: Value[]];

/** `onConflict`: what follows the values, such as `ON CONFLICT DO NOTHING`. */
export function insertInto<T, Row>(
  { table, columns, values }: RowMapping<T, unknown, Row>,
  onConflict = '',
): RowStatement<T> {
  const marks = columns.map(() => '?').join(', ');
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${onConflict}`;
  const valuesOf = values(columns);
  return (record) => [text, valuesOf(record)];
}

/** Sets these columns of the row that has the record's key. */
export function updateIn<T, Row>(
  { table, values }: RowMapping<T, unknown, Row>,
  key: readonly (keyof Row & string)[],
  changed: readonly (keyof Row & string)[],
): RowStatement<T> {
  const set = (columns: readonly string[]) => columns.map((column) => `${column} = ?`);
  const text = `UPDATE ${table} SET ${set(changed).join(', ')} WHERE ${set(key).join(' AND ')}`;
  const valuesOf = values([...changed, ...key]);
  return (record) => [text, valuesOf(record)];
}
