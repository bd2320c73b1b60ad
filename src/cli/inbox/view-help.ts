// What the inbox can do, on one screen.
import { wrap } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [key: string, does: string])[]])[] = [
  [
    'Anywhere',
    [
      ['j k ↑ ↓', 'move; g and G to the ends'],
      ['enter', 'look at an approval, answer a question'],
      ['esc', 'back, without an answer'],
      ['/', 'show only what contains these words'],
      ['q, ctrl-c', 'quit; nothing is answered by that'],
    ],
  ],
  [
    'Approvals',
    [
      ['a', 'allow what is shown'],
      ['d', 'deny; a reason is asked for, and may be left out'],
      ['e', 'change the input first, in $EDITOR or here; then a allows it'],
    ],
  ],
  [
    'Questions',
    [
      ['1-9, space', 'choose; enter takes what the cursor is on'],
      ['o', 'Other: a text of your own'],
      ['d', 'decline to answer'],
    ],
  ],
];

export function helpLines(width: number): Line[] {
  return KEYS.flatMap(([title, keys]) => [
    line(span(title, 'bold')),
    ...keys.flatMap(([key, does]) => wrap(line(span(`  ${key.padEnd(11)}`, 'accent'), does), width, 13)),
    [],
  ]);
}
