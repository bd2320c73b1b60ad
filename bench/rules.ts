// Measures how long rules take to decide: `node bench/rules.ts`. Ten thousand rules, commands of 64 KiB in several shapes;
// the median of processor time in milliseconds, and the time for half the command beside it, which shows how it grows. Then the
// shell reader and globs on texts that were made to be slow, for sizes that double.
import { compileGlob, matchesGlob } from '../src/core/glob.ts';
import { sourced } from '../src/core/rule.ts';
import { compileRules } from '../src/core/rule-index.ts';
import { decideByRules } from '../src/core/rule-set.ts';
import { readShell } from '../src/core/shell/read.ts';
import { median } from './rounds.ts';

const SIZE = 64 * 1024;
const COUNT = 10_000;
const ROUNDS = 20;

const repeated = (head: string, part: string, size: number, tail = '') =>
  head + part.repeat(Math.floor((size - head.length - tail.length) / part.length)) + tail;

const SHAPES: Record<string, (size: number) => string> = {
  'one long argument': (size) => repeated('git commit -m "', 'fix the build ', size, '"'),
  'many arguments': (size) => repeated('git add', ' src/some/folder/file.ts', size),
  'a here-document': (size) => repeated("cat <<'E'\n", 'a line of text that is written\n', size, 'E\n'),
  '500 commands': (size) => repeated('', `git log ${'x'.repeat(Math.floor(size / 500) - 10)}; `, size),
};

const set = compileRules(
  sourced('organisation', 'rules.json', [
    { tool: 'Bash', matches: { command: '*--force*' }, action: 'ask' },
    ...Array.from({ length: COUNT - 4 }, (_, i) => ({
      tool: i % 5 === 0 ? `mcp__server${i}__*` : 'Bash',
      ...(i % 5 !== 0 && { matches: { command: [`program${i} *`, `git sub${i} *`] } }),
      action: i % 3 === 0 ? ('reject' as const) : ('allow' as const),
    })),
    { tool: 'Bash', matches: { command: ['git *', 'cat *'] }, action: 'allow' },
    { tool: '*', action: 'ask' },
  ]),
);

/** Texts that make a careless parser take quadratic time. */
const HOSTILE: Record<string, (size: number) => string> = {
  'nested substitutions': (size) => '$('.repeat(size / 2),
  'open quotes': (size) => `'"`.repeat(size / 2),
  backslashes: (size) => '\\'.repeat(size),
  'line ends': (size) => '\n'.repeat(size),
  'open braces': (size) => '{a,'.repeat(size / 3),
  'here-documents': (size) => repeated('', 'cat <<E\n', size),
  assignments: (size) => repeated('', 'A=1 ', size),
  wrappers: (size) => repeated('', 'sudo env ', size),
  pipes: (size) => repeated('', 'a|', size),
};

const decide = (command: string) =>
  decideByRules({ sets: [set] }, { tool: 'Bash', input: { command }, context: 'thread' });

/** The processor time of one decision, which other work on the machine does not lengthen. */
function measured(command: string, run: (text: string) => unknown = decide): number {
  for (let i = 0; i < ROUNDS; i++) run(command);
  const batches = Array.from({ length: 9 }, () => {
    const from = process.cpuUsage();
    for (let i = 0; i < ROUNDS; i++) run(command);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000 / ROUNDS;
  });
  return median(batches);
}

// Compiled by the engine before anything is measured.
for (const shape of Object.values(SHAPES)) for (let i = 0; i < 50; i++) decide(shape(SIZE));

for (const [name, shape] of Object.entries(SHAPES)) {
  const [half, whole] = [measured(shape(SIZE / 2)), measured(shape(SIZE))];
  console.log(
    `${name}: ${whole.toFixed(3)} ms for 64 KiB, ${half.toFixed(3)} ms for 32 KiB (${decide(shape(SIZE)).decision})`,
  );
}
console.log(`git status: ${measured('git status').toFixed(3)} ms`);

const doubling = (name: string, text: (size: number) => string, run: (text: string) => unknown) => {
  const times = [SIZE / 4, SIZE / 2, SIZE].map((size) => measured(text(size), run).toFixed(3));
  console.log(`${name}: ${times.join(', ')} ms for 16, 32 and 64 KiB`);
};
for (const [name, text] of Object.entries(HOSTILE)) doubling(name, text, readShell);
for (const pattern of ['*aab*', `*${'a'.repeat(2000)}b*`, '*a*a*a*a*a*a*b'])
  doubling(
    `glob ${pattern.slice(0, 20)}`,
    (size) => 'a'.repeat(size),
    (text) => matchesGlob(compileGlob(pattern), text),
  );
