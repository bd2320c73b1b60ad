// Draws the help of the terminal inbox: every key and what it does, on one screen.
import { wrap } from '../text/layout.ts';
import { type Line, line, span } from '../text/spans.ts';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [key: string, does: string])[]])[] = [
  [
    'Anywhere',
    [
      ['j k ↑ ↓', 'move; g and G to the ends'],
      ['enter', 'open an approval, answer a question'],
      ['c', 'comment without deciding; the agent replies where it can'],
      ['i', 'tell everyone that you are on it; again to take that back'],
      ['h', 'snooze it for everyone, to the end of the list; again to bring it back'],
      ['esc', 'go back without answering'],
      ['/', 'filter by words, or agent: tool: project: session: is:'],
      ['q, ctrl-c', 'quit without answering anything'],
    ],
  ],
  [
    'Approvals',
    [
      ['a', 'allow what is shown, after enter confirms it'],
      ['d', 'deny, with an optional reason'],
      ['e', 'edit the input in $EDITOR or here, then allow it with a and enter'],
    ],
  ],
  [
    'Questions',
    [
      ['1-9, space', 'select; enter takes the option under the cursor'],
      ['o', 'answer with your own text; in the form, just type'],
      ['d', 'decline to answer, in the list'],
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
