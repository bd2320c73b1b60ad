// Tests which paragraphs of Markdown are shown as tables.
import { expect, it } from 'vitest';
import { tableOf } from '../../../web/src/text/markdown-table.ts';

it('reads heads and rows, with escaped bars', () => {
  const table = '| step | who |\n|---|:-:|\n| `a \\| b` | me |\n| two | |';
  expect(tableOf(table)).toEqual([
    ['step', 'who'],
    ['`a | b`', 'me'],
    ['two', ''],
  ]);
});

it.each([
  ['plain text'],
  ['| a | b |\n| c | d |\n| e | f |'],
  ['| a | b |\n|---|---|\n| too | many | cells |'],
  ['| a |\n|---|\nnot a row'],
])('takes %j for no table', (text) => {
  expect(tableOf(text)).toBeUndefined();
});
