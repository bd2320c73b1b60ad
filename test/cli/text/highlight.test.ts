// Highlighting of shell commands and JSON.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines, shellLines } from '../../../src/cli/text/highlight.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { exact } from '../../../src/cli/text/terminal-text.ts';

describe('highlighting', () => {
  it('changes no character of a command', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab -\'"`$(){};&|<>\\#\n=~*'.split('')) }), (command) => {
        expect(shellLines(command).map(plain).join('\n')).toBe(exact(command));
      }),
    );
  });

  it('marks programs, flags, strings, variables and operators', () => {
    const styles = shellLines('FOO=1 git log --oneline "a b" $HOME && rm -rf ~ # all').flatMap((of) =>
      of.filter((s) => s.style !== 'plain').map((s) => [s.text, s.style]),
    );
    expect(styles).toEqual([
      ['FOO=1', 'variable'],
      ['git', 'program'],
      ['--oneline', 'flag'],
      ['"a b"', 'string'],
      ['$HOME', 'variable'],
      ['&&', 'operator'],
      ['rm', 'program'],
      ['-rf', 'flag'],
      ['# all', 'dim'],
    ]);
  });

  it('prints a command of a megabyte verbatim', () => {
    const command = `echo ${'"x" $y; '.repeat(130_000)}`;
    expect(shellLines(command).map(plain).join('\n')).toBe(command);
  });

  it('prints JSON with every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonLines(value).map(plain).join('\n')).toBe(exact(JSON.stringify(value, undefined, 2)));
      }),
    );
  });
});
