// Statements made of row objects: the compiler checks the columns, the text and the values follow from the row.
import { describe, expect, it } from 'vitest';
import { insertInto, updateById } from '../../src/store/row-statement.ts';
import type { FactRow } from '../../src/store/tables.ts';

describe('an insert', () => {
  it('puts each value under its column, whatever order a later row has', () => {
    const keep = insertInto('facts', (row: FactRow) => row, 'ON CONFLICT DO NOTHING');
    const text = 'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING';
    expect(keep({ name: 'a', value: 'b' })).toEqual([text, ['a', 'b']]);
    expect(keep({ value: 'd', name: 'c' })).toEqual([text, ['c', 'd']]);
  });

  it('does not compile without a column, with an unknown one, or with a value of another type', () => {
    // @ts-expect-error: `value` is missing
    insertInto('facts', (name: string) => ({ name }));
    // @ts-expect-error: there is no `values`
    insertInto('facts', (name: string) => ({ name, value: '', values: '' }));
    // @ts-expect-error: `value` is a text
    insertInto('facts', (name: string) => ({ name, value: 1 }));
  });
});

describe('an update', () => {
  it('sets every column but the id, which comes last', () => {
    const end = updateById('asks', ([id, status]: string[]) => ({ id: `${id}`, status: `${status}` }), 'AND n > 0');
    expect(end(['ask_1', 'answered'])).toEqual([
      'UPDATE asks SET status = ? WHERE id = ? AND n > 0',
      ['answered', 'ask_1'],
    ]);
  });

  it('does not compile without an id, or with an unknown column', () => {
    // @ts-expect-error: which ask?
    updateById('asks', (status: string) => ({ status }));
    // @ts-expect-error: there is no `state`
    updateById('asks', (id: string) => ({ id, state: 'answered' }));
  });
});
