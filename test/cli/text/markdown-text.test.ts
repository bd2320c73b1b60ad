// Markdown of agents as lines of a terminal: what stands out, and that nothing is hidden.
import { describe, expect, it } from 'vitest';
import { markdownLines, withoutMarks } from '../../../src/cli/text/markdown-text.ts';
import { plain } from '../../../src/cli/text/spans.ts';

const shown = (text: string, width = 80) => markdownLines(text, width, 'plain').map(plain);

describe('Markdown at a terminal', () => {
  it('shows headings and strong text in bold, bullets, and code behind a bar', () => {
    const text = '## Where to?\n\n- **first** one\n  * nested\n```sh\n# make\n**x**\n```\n1. [a](https://x.example)';
    expect(shown(text)).toEqual([
      'Where to?',
      '',
      '• first one',
      '  • nested',
      '│ # make',
      '│ **x**',
      '1. [a](https://x.example)',
    ]);
    const [heading, , bullet] = markdownLines(text, 80, 'plain');
    expect(heading?.every(({ style }) => style === 'bold')).toBe(true);
    expect(bullet?.filter(({ style }) => style === 'bold').map(({ text: of }) => of)).toEqual(['first']);
  });

  it.each([
    'rm -rf **/node_modules/**',
    'src/**a**/b',
    '`echo **a** b`',
    '2 ** 3 ** 4',
    '**/a and **/b',
    '| a | b |',
    '&amp; <b>x</b>',
    '[x]: https://x.example',
  ])('leaves as it is: %s', (text) => {
    expect(shown(text)).toEqual([text]);
    expect(withoutMarks(text)).toBe(text);
  });

  it('keeps what follows the name of the language of a code block, and code that is not closed', () => {
    expect(shown('```sh rm -rf /\nls')).toEqual(['sh rm -rf /', '│ ls']);
    expect(shown('```\na\n```` \nb')).toEqual(['│ a', 'b']);
  });

  it('reads a long text in which nothing is closed', () => {
    for (const text of ['**a '.repeat(50_000).trim(), '`'.repeat(100_000)]) expect(withoutMarks(text)).toBe(text);
  });
});
