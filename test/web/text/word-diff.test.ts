// Tests which words of a changed line are marked, and how marks and colours are put together.
// Covers: web/src/text/line-pieces.ts, web/src/text/line-place.ts
import { expect, it } from 'vitest';
import { blocksOfChange } from '../../../web/src/text/compare-texts.ts';
import { piecesOf, tokensByLine } from '../../../web/src/text/line-pieces.ts';
import { placeOf, withNote } from '../../../web/src/text/line-place.ts';
import { changedWords } from '../../../web/src/text/word-diff.ts';

const changed = (before: string, after: string) => {
  const blocks = blocksOfChange({ before, after });
  return [...changedWords(blocks)].map(([line, marks]) => marks.map(([from, to]) => line.text.slice(from, to)));
};

it('marks the words that differ on both sides', () => {
  expect(changed('return addDays(issued, 30);\n', 'return addDays(issued, 14);\n')).toEqual([['30'], ['14']]);
});

it('marks no words of lines that have little in common', () => {
  expect(changed('alpha beta gamma\n', 'something else entirely\n')).toEqual([]);
});

it('cuts a line by colours and marks without losing a character', () => {
  const tokens = tokensByLine([
    { type: 'element', properties: { className: ['hl-keyword'] }, children: [{ type: 'text', value: 'const' }] },
    { type: 'text', value: ' a = 1;\nb' },
  ]);
  expect(tokens).toEqual([[{ from: 0, to: 5, className: 'hl-keyword' }], []]);
  const pieces = piecesOf('const a = 1;', tokens[0] ?? [], [[10, 11]]);
  expect(pieces.map(({ text }) => text)).toEqual(['const', ' a = ', '1', ';']);
  expect(pieces.map(({ isChanged }) => isChanged)).toEqual([false, false, true, false]);
});

it('names a line by file, number and text, and adds a note to a reason', () => {
  const line = { kind: 'added' as const, text: '  const a = 2;', after: 12 };
  expect(placeOf('src/a.ts', line, true)).toBe('src/a.ts:12 “const a = 2;”');
  expect(placeOf('src/a.ts', line, false)).toBe('src/a.ts “const a = 2;”');
  expect(withNote('Not like this.', 'src/a.ts:12', ' use 3 ')).toBe('Not like this.\nsrc/a.ts:12: use 3');
  expect(withNote('', 'src/a.ts:12', 'use 3')).toBe('src/a.ts:12: use 3');
});
