// Tests which words of a shell script are coloured as commands.
import { expect, it } from 'vitest';
import { isCommandPlace } from '../../../web/src/text/command-place.ts';

it.each(['', 'cd x && ', 'ls | ', 'a;', 'if true; then ', 'sudo ', 'x=$(', 'first\n', `${'long '.repeat(40)}; `])(
  'takes what follows %j for a command',
  (before) => {
    expect(isCommandPlace(before)).toBe(true);
  },
);

it.each(['docker run --', 'npm ', 'git commit -m "', `${'long '.repeat(40)}`])(
  'takes what follows %j for no command',
  (before) => {
    expect(isCommandPlace(before)).toBe(false);
  },
);
