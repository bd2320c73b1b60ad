// The mapping of a record to its columns: the compiler checks every field, and statements and reads follow from one list.
// Covers: src/store/tables.ts
import { describe, expect, it } from 'vitest';
import { insertInto, rowMapping, updateIn } from '../../src/store/row-mapping.ts';

interface Note {
  id: string;
  savedAt: number;
  title: string | undefined;
  tags: string[];
  isOpen: boolean;
  author: { name: string; team: string | undefined } | undefined;
}
const OPEN = { write: (isOpen: boolean) => (isOpen ? 'yes' : 'no'), read: (text: string) => text === 'yes' };
const FIELDS = { id: 'plain', savedAt: 'plain', title: 'plain', tags: 'json', isOpen: OPEN, author: 'json' } as const;
const NOTE = rowMapping<Note>()('notes', FIELDS, { team: (note) => note.author?.team ?? null });

const complete: Note = {
  id: 'n1',
  savedAt: 7,
  title: 'a',
  tags: ['x'],
  isOpen: true,
  author: { name: 'lead', team: 'infra' },
};
const sparse: Note = { id: 'n2', savedAt: 0, title: undefined, tags: [], isOpen: false, author: undefined };
const INSERT = 'INSERT INTO notes (id, saved_at, title, tags, is_open, author, team) VALUES (?, ?, ?, ?, ?, ?, ?) ';

describe('an insert', () => {
  it('puts each value under its column, whatever order the fields of a record have', () => {
    const insert = insertInto(NOTE);
    const values = ['n1', 7, 'a', '["x"]', 'yes', '{"name":"lead","team":"infra"}', 'infra'];
    expect(insert(complete)).toEqual([INSERT, values]);
    const { id, ...rest } = complete;
    expect(insert({ ...rest, id })).toEqual([INSERT, values]);
  });

  it('writes NULL for what is undefined', () => {
    expect(insertInto(NOTE, 'ON CONFLICT DO NOTHING')(sparse)).toEqual([
      `${INSERT}ON CONFLICT DO NOTHING`,
      ['n2', 0, null, '[]', 'no', null, null],
    ]);
  });
});

describe('an update', () => {
  it('sets the named columns of the row with the key, which comes last', () => {
    const close = updateIn(NOTE, ['id', 'saved_at'], ['is_open', 'team']);
    expect(close(sparse)).toEqual([
      'UPDATE notes SET is_open = ?, team = ? WHERE id = ? AND saved_at = ?',
      ['no', null, 'n2', 0],
    ]);
  });

  it('does not compile with an unknown column', () => {
    // @ts-expect-error: there is no `open`
    expect(() => updateIn(NOTE, ['id'], ['open'])).not.toThrow();
  });
});

describe('a read', () => {
  const row = { id: 'n2', saved_at: 0, title: null, tags: '[]', is_open: 'no', author: null, team: null };
  it('returns the record that was written', () => {
    expect(NOTE.read(row)).toEqual(sparse);
    const written = { ...row, id: 'n1', saved_at: 7, title: 'a', tags: '["x"]', is_open: 'yes', team: 'infra' };
    expect(NOTE.read({ ...written, author: JSON.stringify(complete.author) })).toEqual(complete);
  });

  it('does not compile with a column of another type', () => {
    // @ts-expect-error: `saved_at` is a number
    expect(() => NOTE.read({ ...row, saved_at: '0' })).not.toThrow();
  });
});

describe('a mapping', () => {
  const { author: _, ...withoutAuthor } = FIELDS;
  it('does not compile without a field, with an unknown one, or with a field stored as another type', () => {
    // @ts-expect-error: `author` is missing
    rowMapping<Note>()('notes', withoutAuthor);
    // @ts-expect-error: there is no `authors`
    rowMapping<Note>()('notes', { ...FIELDS, authors: 'plain' });
    // @ts-expect-error: a list is no plain value
    rowMapping<Note>()('notes', { ...FIELDS, tags: 'plain' });
    // @ts-expect-error: the codec is for booleans
    rowMapping<Note>()('notes', { ...FIELDS, savedAt: OPEN });
  });
});
