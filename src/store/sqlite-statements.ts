// Prepares SQLite statements once per text. Rows are taken from the driver as arrays and turned into objects by a
// function generated for the columns of each statement, at a third of the cost of the driver's own row objects.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Sql, Value } from './sql.ts';

interface Prepared {
  run(values: readonly Value[]): { changes: number; lastInsertRowid: number };
  all(values: readonly Value[]): unknown[];
}

type Statements = (text: string) => Prepared;

export function prepareOnce(db: DatabaseSync): Statements {
  const known = new Map<string, Prepared>();
  return (text) => {
    let found = known.get(text);
    if (!found) {
      found = prepared(db.prepare(text));
      known.set(text, found);
    }
    return found;
  };
}

function prepared(statement: StatementSync): Prepared {
  statement.setReturnArrays(true);
  const toRecord = recordMaker(statement.columns().map((column) => column.name));
  return {
    run: (values) => statement.run(...values) as { changes: number; lastInsertRowid: number },
    all: (values) => (statement.all(...values) as unknown as Value[][]).map(toRecord),
  };
}

/** `(row) => ({ "id": row[0], … })`: all records of a statement share one shape. */
function recordMaker(columns: readonly string[]): (row: Value[]) => unknown {
  const fields = columns.map((name, i) => `${JSON.stringify(name)}: row[${i}]`);
  return new Function('row', `return { ${fields.join(', ')} };`) as (row: Value[]) => unknown;
}

export function sqlOver(statements: Statements): Sql {
  return {
    all: <Row>(text: string, values: readonly Value[]) => statements(text).all(values) as Row[],
    run: (text, values) => statements(text).run(values).changes,
    insert: (text, values) => statements(text).run(values).lastInsertRowid,
  };
}
