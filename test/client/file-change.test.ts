// Which tool inputs are changes of a file, and which of their keys the change accounts for.
import { expect, it } from 'vitest';
import { fileChangeOf } from '../../src/client/file-change.ts';

it.each([
  ['file_path', 'old_string', 'new_string'],
  ['path', 'old_str', 'new_str'],
  ['file', 'oldText', 'newText'],
])('reads an edit from the keys %s, %s and %s', (file, old, fresh) => {
  expect(fileChangeOf({ [file]: 'a.ts', [old]: 'x', [fresh]: 'y', replace_all: true })).toMatchObject({
    file: 'a.ts',
    keys: [file, old, fresh],
    changes: [{ before: 'x', after: 'y' }],
  });
});

it('reads a whole content as a change from nothing, where the file is named', () => {
  expect(fileChangeOf({ file_path: 'a.ts', content: 'all' })).toMatchObject({
    keys: ['file_path', 'content'],
    changes: [{ before: '', after: 'all' }],
  });
  expect(fileChangeOf({ content: 'all' })).toBeUndefined();
});

it('reads several edits, and leaves their key to be shown where an edit says more', () => {
  const edit = { old_string: 'x', new_string: 'y' };
  const both = { file_path: 'a.ts', edits: [edit, { old_string: 'p', new_string: 'q' }] };
  expect(fileChangeOf(both)).toMatchObject({
    keys: ['file_path', 'edits'],
    changes: [
      { before: 'x', after: 'y' },
      { before: 'p', after: 'q' },
    ],
  });
  expect(fileChangeOf({ ...both, edits: [{ ...edit, replace_all: true }] })?.keys).toEqual(['file_path']);
});

it.each([
  { command: 'ls' },
  { file_path: 'a.ts', old_string: 'x' },
  { file_path: 'a.ts', old_string: 1, new_string: 'y' },
  { file_path: 'a.ts', edits: [] },
  { file_path: 'a.ts', edits: [{ old_string: 'x', new_string: 'y' }, { insert: 'z' }] },
  { file_path: 'a.ts', edits: ['x', null] },
])('takes the input %j for no change of a file', (input) => expect(fileChangeOf(input)).toBeUndefined());
