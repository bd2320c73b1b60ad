// Generates shell command lines from a grammar of constructs that hide commands, then damages some of them. The words are
// those of the stub programs and of real wrappers; nothing in them reaches outside the folder that the line runs in.
import type { Random } from '../support/seeded-random.ts';

export const STUBS = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];
/** Linked into the PATH of a line, so that they run the stubs. */
export const REAL_WRAPPERS = [
  'env',
  'xargs',
  'nohup',
  'nice',
  'timeout',
  'find',
  'sh',
  'bash',
  'setsid',
  'stdbuf',
  'time',
];

const WORDS = [
  'a',
  'b',
  '-x',
  '--long',
  '"q r"',
  "'s t'",
  '$V',
  '"$V"',
  '*',
  'd/*',
  '{m,n}',
  "$'\\x41'",
  '\\*',
  '~',
  '#c',
  'a=b',
  '""',
  '$((1))',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell
  '${V:-w}',
  '$@',
  'in',
  'do',
  '!',
  '{',
  '}',
  '[',
  ']]',
  'a\\\nb',
];
const NOISE = [...'\'"`$(){};&|<>\\ \n#!*?[]=~-', '&&', '||', '$(', '<<', '((', '))', '<(', ';;', 'p3', ' p4 '];

/** Half of the lines are harmless ones with some damage, which is where an allow is most easily too wide. */
export function shellLine(random: Random): string {
  if (random.chance(0.5)) return damaged(random, harmless(random));
  const line = list(random, 3);
  return below(random, 3) === 0 ? damaged(random, line) : line;
}

const pick = <T>(random: Random, from: readonly T[]): T => random.pick(from);
const below = (random: Random, limit: number): number => random.int(0, limit - 1);
const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const double = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`;

function list(random: Random, depth: number): string {
  const parts = Array.from({ length: 1 + below(random, 3) }, () => command(random, depth));
  return parts.reduce(
    (line, part) => line + pick(random, ['; ', ' && ', ' || ', ' | ', '\n', ' & ', ';', '|', ' |& ']) + part,
  );
}

function command(random: Random, depth: number): string {
  if (depth === 0 || below(random, 3) === 0) return simple(random, depth);
  return pick(random, COMPOUNDS)(random, depth - 1);
}

function simple(random: Random, depth: number): string {
  const words = Array.from({ length: below(random, 4) }, () =>
    depth > 0 && below(random, 4) === 0 ? substitution(random, depth - 1) : pick(random, WORDS),
  );
  const before = pick(random, ['', '', '', '', 'A=1 ', '>/dev/null ', '2>&1 ', 'A=(1) ', '! ', 'time ', '\\\n']);
  const after = pick(random, ['', '', '', '', ' >out', ' 2>&1', ' </dev/null', ' <<<x', ' # p5', ' {fd}>out', ' >&2']);
  return `${before}${program(random)} ${words.join(' ')}${after}`;
}

function program(random: Random): string {
  const name = pick(random, STUBS);
  return pick(random, [
    name,
    name,
    name,
    name,
    `"${name}"`,
    `\\${name}`,
    `p''${name.slice(1)}`,
    `$'\\x70'${name.slice(1)}`,
    `p$E${name.slice(1)}`,
  ]);
}

function substitution(random: Random, depth: number): string {
  const inner = list(random, depth);
  return pick(random, [
    `$(${inner})`,
    `"$(${inner})"`,
    `"a\${V:-$(${inner})}"`,
    `<(${inner}\n)`,
    `$((1+$(${inner}\n)))`,
    `{a,$(${inner}\n)}`,
    `\`${inner.replace(/[\\`]/g, '\\$&')}\``,
    `\${V[$(${inner}\n)]}`,
    `\${V/a/$(${inner}\n)}`,
  ]);
}

function harmless(random: Random): string {
  const parts = Array.from({ length: 1 + below(random, 3) }, () => {
    const words = Array.from({ length: below(random, 3) }, () => pick(random, HARMLESS_WORDS));
    const text = [pick(random, ['p0', 'p1', 'p2', '"p1"', "p''2"]), ...words].join(' ');
    return pick(random, HARMLESS)(text);
  });
  return parts.join(pick(random, ['; ', ' && ', ' | ', '\n', ' & ']));
}

const HARMLESS_WORDS = [
  'a',
  '-x',
  '"q r"',
  "'s t'",
  'd/*',
  "$'\\x41'",
  '\\*',
  'a\\\nb',
  '#',
  'a#b',
  '{',
  'in',
  '2>&1',
  '>/dev/null',
  '<<<x',
  "'a''b'",
];
const HARMLESS: ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => `(${text})`,
  (text) => `{ ${text}; }`,
  (text) => `if ${text}; then p1; fi`,
  (text) => `! ${text}`,
  (text) => `time ${text}`,
  (text) => `f() { ${text}; }`,
  (text) => `${text} <<E\ntext\nE\n`,
  (text) => `case a in a) ${text};; esac`,
  (text) => `${text} # comment`,
];

type Compound = (random: Random, depth: number) => string;

const COMPOUNDS: Compound[] = [
  (r, d) => `(${list(r, d)})`,
  (r, d) => `{ ${list(r, d)}\n}`,
  (r, d) => `if ${list(r, d)}\nthen ${list(r, d)}\nelse ${list(r, d)}\nfi`,
  (r, d) => `while ${list(r, d)}\ndo ${list(r, d)}\nbreak; done`,
  (r, d) => `for v in a ${substitution(r, d)}; do ${list(r, d)}\ndone`,
  (r, d) => `case ${substitution(r, d)} in a) ${list(r, d)}\n;; *) ${list(r, d)}\nesac`,
  (r, d) => `f() { ${list(r, d)}\n}; f a`,
  (r, d) => `eval ${single(list(r, d))}`,
  (r, d) => `eval ${double(list(r, d))}`,
  (r, d) => `${pick(r, ['sh', 'bash'])} -c ${pick(r, [single, double])(list(r, d))}`,
  (r, d) => `bash <<'EOF'\n${list(r, d)}\nEOF\n`,
  (r, d) => `${pick(r, STUBS)} <<EOF\n${substitution(r, d)}\nEOF\n`,
  (r, d) => `trap ${single(list(r, d))} EXIT`,
  (r, d) =>
    `${pick(r, ['env', 'env A=1', 'env -u B', 'nohup', 'nice -n 1', 'timeout 5', 'setsid', 'command', 'exec', 'stdbuf -oL', 'builtin', 'time', 'env -S', 'env -i'])} ${simple(r, d)}`,
  (r, d) => `echo x | xargs ${pick(r, ['', '-n 1 ', '-I{} ', '-0 '])}${simple(r, d)}`,
  (r) => `find . -maxdepth 0 -exec ${simple(r, 0)} ${pick(r, ['\\;', "';'", '{} +'])}`,
  (r, d) => `[[ ${pick(r, ['-n', '-v', '!'])} ${substitution(r, d)} ]]`,
  (r, d) => `[[ ${single(`a[$(${list(r, d)}\n)]`)} -eq 0 ]]`,
  (r, d) => `(( ${substitution(r, d)} ))`,
  (r, d) => `V=${substitution(r, d)}`,
  (r, d) => `alias p0=${single(list(r, d))}\np0`,
  (r, d) => `shopt -s expand_aliases\nalias p0=${single(list(r, d))}\np0`,
  (r, d) => `coproc { ${list(r, d)}\n}`,
  (r, d) =>
    `V=${single(list(r, d))}; ${pick(r, ['$V', 'eval $V', 'eval "$V"', 'bash -c "$V"', 'sh <<<"$V"', 'let "V[$V]"'])}`,
  (r, d) => `${list(r, d)} | sh`,
  (r, d) => `echo ${single(list(r, d))} | sh`,
];

function damaged(random: Random, line: string): string {
  let text = line;
  for (let edits = 1 + below(random, 3); edits > 0; edits--) {
    const at = below(random, text.length + 1);
    const removed = below(random, 3) === 0 ? 1 : 0;
    text = text.slice(0, at) + (below(random, 4) === 0 ? '' : pick(random, NOISE)) + text.slice(at + removed);
  }
  return text;
}
