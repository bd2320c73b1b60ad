// Which texts of agents are formatted, and which are shown to the letter because formatting them could stop the page.
import { expect, it } from 'vitest';
import { isCheapMarkdown } from '../../../web/src/text/render-limits.ts';

it('formats what people and agents write', () => {
  const plan = `# Plan\n\n${'1. Do *this*, then `that` (see [docs](x)).\n   - nested > point\n'.repeat(100)}`;
  expect(isCheapMarkdown(plan)).toBe(true);
  expect(isCheapMarkdown('> > > a quote of a quote of a quote')).toBe(true);
});

it.each([
  ['2000 nested list items and quotes in one line', '- > '.repeat(2000)],
  ['30 nested numbers', '1. '.repeat(30)],
  ['alternating emphasis', '*_'.repeat(2000)],
  ['thousands of headings', 'a\n-\n'.repeat(1000)],
  ['an item that is indented 200 deep', `${'  '.repeat(100)}- a`],
  ['more than 20 000 characters', 'word '.repeat(5000)],
])('shows to the letter: %s', (_, text) => {
  expect(isCheapMarkdown(text)).toBe(false);
});
