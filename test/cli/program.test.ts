// The tree of commands is made as far as it is needed: a command alone is the same as in the whole tree, and whatever
// speaks of all of them (help, completion, a word that is none) has all of them.
import { expect, it } from 'vitest';
import { createProgram, withHelp } from '../../src/cli/program.ts';

const whole = await createProgram();
const names = whole.commands.map((command) => command.name());

it.each(names.filter((name) => name !== 'completion'))('%s is loaded alone, and is the same', async (name) => {
  const alone = await createProgram(name);
  expect(alone.commands.map((command) => command.name())).toEqual([name]);
  const there = whole.commands.find((command) => command.name() === name);
  expect(alone.commands[0]?.helpInformation()).toBe(there?.helpInformation());
  expect(alone.commands[0]?.helpGroup()).toBe(there?.helpGroup());
});

it.each([undefined, 'completion', 'help', '--help', 'sesions', 'constructor', ''])(
  '%j has all of them',
  async (word) => {
    const program = await createProgram(word);
    expect(program.commands.map((command) => command.name())).toEqual(names);
    expect(program.helpInformation()).toBe(whole.helpInformation());
  },
);

it.each([
  ['help', '--help'],
  ['help questions', 'questions --help'],
  ['help questions answer', 'questions answer --help'],
  ['help questions answer ask_1', 'questions answer --help'],
  ['questions help answer', 'questions answer --help'],
  // Refused as the unknown commands they are.
  ['help nosuch', 'nosuch'],
  ['help questions nosuch answer', 'questions nosuch'],
  // Words of somebody else.
  ['run mock help', 'run mock help'],
  ['threads post nightly help', 'threads post nightly help'],
])('%s is read as: %s', (given, read) => expect(withHelp(whole, given.split(' ')).join(' ')).toBe(read));
