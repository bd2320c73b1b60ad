// Tests which marks of Markdown are taken out of a line, and which are part of what it says.
import { expect, it } from 'vitest';
import { plainMarkdown } from '../../../web/src/text/plain-markdown.ts';

it.each([
  ['# Ship **now**?', 'Ship now?'],
  ['Use `npm ci` or **`npm i`**?', 'Use npm ci or npm i?'],
  ['Read [the plan](https://example.com/plan) first', 'Read the plan (https://example.com/plan) first'],
])('shows %j as %j', (text, plain) => {
  expect(plainMarkdown(text)).toBe(plain);
});

it.each(['Delete **/*.ts and src/**?', 'Edit __init__.py?', '5 * 3 * 2', 'a **b', 'list[0](x y)'])(
  'keeps %j',
  (text) => {
    expect(plainMarkdown(text)).toBe(text);
  },
);
