// Which simple commands a command line runs, with words, assignments, redirections and positions, and what stays unknown.
// Covers: src/core/shell/
import { describe, expect, it } from 'vitest';
import { readShell } from '../../../src/core/shell/read.ts';

const programs = (line: string) => readShell(line).commands.map(({ words }) => words.map(({ text }) => text).join(' '));

describe('readShell', () => {
  it.each<[string, string[]]>([
    ['git status', ['git status']],
    ['a | b && c; d & e\nf', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['(a; { b; })', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done', ['a', 'b']],
    ['case x in y) a;; esac', ['a']],
    ['f() { a; }', ['a']],
    ['a $(b `c`)', ['a $(b `c`)', 'b `c`', 'c']],
    ['a <(b) >(c)', ['a <(b) >(c)', 'b', 'c']],
    ['a <<E\n$(b)\nE\nc', ['a', 'b', 'c']],
    ["a <<'E'\n$(b)\nE", ['a']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell
    ['a "x $(b)" ${v:-$(c)} $((1+$(d)))', ['a "x $(b)" ${v:-$(c)} $((1+$(d)))', 'b', 'c', 'd']],
    [
      'sudo -u x env A=1 nice -n 5 a b',
      ['sudo -u x env A=1 nice -n 5 a b', 'env A=1 nice -n 5 a b', 'nice -n 5 a b', 'a b'],
    ],
    ["sh -c 'a; b'", ['sh -c a; b', 'a', 'b']],
    ["bash <<'E'\na\nE", ['bash', 'a']],
    ["eval a '; b'", ['eval a ; b', 'a', 'b']],
    ["trap 'a b' EXIT", ['trap a b EXIT', 'a b']],
    ['find . -exec a {} ; -execdir b +', ['find . -exec a {}']],
    ['find . -exec a {} \\; -execdir b {} +', ['find . -exec a {} ; -execdir b {} +', 'a {}', 'b {}']],
    ['ls | xargs -n 1 a', ['ls', 'xargs -n 1 a', 'a ']],
    ["a'b'\"c\"\\d$'\\x41'", ['abcdA']],
  ])('finds in %j the commands %j', (line, commands) => {
    expect(programs(line).slice(0, commands.length)).toEqual(commands);
  });

  it.each([
    'a "b',
    'a $(',
    'a &&',
    'if a',
    'a @(b|c)',
    `a ${'{'.repeat(501)}`,
    `a${' <<E'.repeat(101)}`,
    'a'.repeat(65_537),
    'a; '.repeat(1001),
    `${'$('.repeat(20)}a${')'.repeat(20)}`,
    `${'f() '.repeat(8000)}`,
    'a\0b',
    "[[ 'a[$(b)]' -eq 0 ]]",
  ])('does not read %.40s', (line) => expect(readShell(line).unknown).toEqual(expect.any(String)));

  it.each([
    '$X a',
    'bash x.sh',
    'bash',
    'sh -c "$X"',
    'eval "$X"',
    'source x',
    'git -c a=b x',
    'ssh h a',
    'xargs $X',
    '((a))',
    'alias a=b',
    'env -S "a b"',
  ])('does not know what %j runs', (line) => expect(readShell(line).commands[0]?.unknown).toEqual(expect.any(String)));

  it.each<[string, string[]]>([
    ['A=1 B=2 a', ['A', 'B']],
    ['A=1', ['A']],
    ['export A=1', ['A', 'export']],
    ['for x in a; do b; done', ['x']],
    ['read x', ['read']],
    ['printf -v x y', ['printf']],
    ['a {fd}>x', ['fd']],
    ['coproc a', ['COPROC']],
    ['a b=c', []],
  ])('finds in %j the assignments %j', (line, names) => expect(readShell(line).commands[0]?.assigns).toEqual(names));

  it.each<[string, boolean]>([
    ['a > x', true],
    ['a >> x', true],
    ['a &> x', true],
    ['a >& x', true],
    ['a <> x', true],
    ['a > "$X"', true],
    ['a < /dev/tcp/h/1', true],
    ['a 2>&1', false],
    ['a >&-', false],
    ['a > /dev/null', false],
    ['a < x', false],
    ['a <<< x', false],
  ])('%j writes: %s', (line, writes) => expect(readShell(line).commands[0]?.redirections[0]?.writes).toBe(writes));

  it.each<[string, string]>([
    ['x', 'literal'],
    ['"$x"', 'open'],
    ['*.ts', 'open'],
    ['-*', 'open'],
    ['src/*.ts', 'path'],
    ['src/{a,b}', 'path'],
    ['src/{a,$b}', 'open'],
    ['{a,b}', 'open'],
    ['~/x', 'path'],
    ['a=~/x', 'open'],
    ['~x', 'open'],
    ['$"x"', 'open'],
    ["'*'", 'literal'],
  ])('the word %s is %s', (word, kind) => expect(readShell(`a ${word}`).commands[0]?.words[1]?.kind).toBe(kind));

  it('says where each command stands', () => {
    const line = 'ls | sudo rm "$(id -u)"; echo `a \\`b\\``';
    const { commands } = readShell(line);
    expect(commands.map(({ text }) => text)).toEqual([
      'ls',
      'sudo rm "$(id -u)"',
      'rm "$(id -u)"',
      'id -u',
      'echo `a \\`b\\``',
      'a `b`',
      'b',
    ]);
    for (const { pos, end, text } of commands.slice(0, 5)) expect(line.slice(pos, end)).toBe(text);
    expect(commands[2]?.within).toBe(commands[1]);
  });

  it('takes linear time in what the parser takes quadratic time for', () => {
    // The limits end the reading before the parser; without them these take seconds.
    for (const part of ['{', '<<a ', 'a{b,', "a{b,'}'"])
      expect(readShell(part.repeat(16_000 / part.length)).unknown).toBeDefined();
  });
});
