// Builds INSERT and UPDATE statements from functions that turn a record into a row: every value stands beside the name of
// its column, so a column that is missing, misspelled or of the wrong type does not compile. The text, and the function
// that lists a row's values in its order, are made once, from the first row.
import type { Value } from './sql.ts';
import type { Tables } from './tables.ts';

/** The text of the statement, and its values for a record. */
export type RowStatement<T> = (record: T) => [text: string, values: Value[]];

type ToRow<T, Row> = (record: T) => Row & Record<keyof Row, Value>;
/** Every column but those that the database fills in. */
type NewRow<Table extends keyof Tables> = Omit<Tables[Table], 'n' | 'seq'>;
type Unknown<Row, Table extends keyof Tables> = Record<Exclude<keyof Row, keyof Tables[Table]>, never>;

/** `onConflict`: what follows the values, such as `ON CONFLICT DO NOTHING`. */
export const insertInto = <Table extends keyof Tables, T, Row extends NewRow<Table>>(
  table: Table,
  toRow: ToRow<T, Row & Unknown<Row, Table>>,
  onConflict = '',
): RowStatement<T> =>
  statement(toRow, (columns) => ({
    text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ${onConflict}`,
    bound: columns,
  }));

/** Sets the other columns of the row with this id. `condition`: what else must be true of the row. */
export const updateById = <Table extends keyof Tables, T, Row extends Partial<Tables[Table]> & { id: string }>(
  table: Table,
  toRow: ToRow<T, Row & Unknown<Row, Table>>,
  condition = '',
): RowStatement<T> =>
  statement(toRow, (columns) => {
    const changed = columns.filter((column) => column !== 'id');
    const set = changed.map((column) => `${column} = ?`).join(', ');
    return { text: `UPDATE ${table} SET ${set} WHERE id = ? ${condition}`, bound: [...changed, 'id'] };
  });

function statement<T, Row extends object>(
  toRow: (record: T) => Row,
  describe: (columns: string[]) => { text: string; bound: string[] },
): RowStatement<T> {
  let made: { text: string; valuesOf(row: Row): Value[] } | undefined;
  return (record) => {
    const row = toRow(record);
    made ??= make(describe(Object.keys(row)));
    return [made.text, made.valuesOf(row)];
  };
}

function make<Row>({ text, bound }: { text: string; bound: string[] }) {
  const list = bound.map((column) => `row.${column}`).join(', ');
  return { text, valuesOf: new Function('row', `return [${list}];`) as (row: Row) => Value[] };
}
