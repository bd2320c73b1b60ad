// The command tree: built as far as a call needs it, documented, and strict about what it does not know.
// Covers: src/cli/command.ts, src/cli/command-flags.ts, src/cli/main.ts, src/cli/version.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram, withDefault, withHelp } from '../../src/cli/program.ts';
import { root } from '../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from './test-bed.ts';

const whole = await createProgram();
const names = whole.commands.map((command) => command.name());

it.each(names.filter((name) => name !== 'completion'))(
  'loads %s alone, the same as in the whole tree',
  async (name) => {
    const alone = await createProgram(name);
    expect(alone.commands.map((command) => command.name())).toEqual([name]);
    const there = whole.commands.find((command) => command.name() === name);
    expect(alone.commands[0]?.helpInformation()).toBe(there?.helpInformation());
    expect(alone.commands[0]?.helpGroup()).toBe(there?.helpGroup());
  },
);

it('lists every command that people type under the heading of its group, and nothing else', () => {
  const titles = [...whole.helpInformation().matchAll(/^(\w+):$/gm)].map(([, title]) => title);
  expect(titles).toEqual(['Options', 'Answer', 'Look', 'Ask', 'Work', 'Serve']);
  const listed = [...whole.helpInformation().matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name);
  expect(listed).toEqual(names.filter((name) => !['hook', 'complete'].includes(name)));
});

it.each([undefined, 'completion', 'help', '--help', 'sesions', 'constructor', ''])(
  'loads all commands for the first word %j',
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
  // Text of another program.
  ['run mock help', 'run mock help'],
  ['threads post nightly help', 'threads post nightly help'],
])('reads `%s` as `%s`', (given, read) => expect(withHelp(whole, given.split(' ')).join(' ')).toBe(read));

it.each([
  [[], ['serve']],
  [
    ['--port', '0'],
    ['serve', '--port', '0'],
  ],
  [['--help'], ['--help']],
  [['-V'], ['-V']],
  [
    ['questions', 'list'],
    ['questions', 'list'],
  ],
  [['serv'], ['serv']],
])('reads %j as %j', (given, run) => expect(withDefault(given)).toEqual(run));

it('documents every command and subcommand', async () => {
  const program = await createProgram();
  const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
  const table = [...page.matchAll(/^\| `([\w-]+)(?: ([\w·-]+))?/gm)].map(([, name, below]) => [
    name,
    below?.split('·') ?? [],
  ]);
  const below = (command: Command) => command.commands.map((c) => c.name()).sort();
  for (const command of program.commands) {
    const row = table.find(([name]) => name === command.name());
    expect(row, command.name()).toBeDefined();
    if (command.commands.length > 0) expect([...(row?.[1] ?? [])].sort()).toEqual(below(command));
  }
});

describe('a command line that is not understood', PATIENT, () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await openTestBed();
  });
  afterAll(closeTestBeds);

  it.each([
    [['questions', 'list', '--nosuch'], "unknown option '--nosuch'", 'holdpoint questions list --help'],
    [['questoins'], "unknown command 'questoins' (Did you mean questions?)", 'holdpoint --help'],
    [['help', 'nosuch'], "unknown command 'nosuch'", 'holdpoint --help'],
    [
      ['connect', 'cursor'],
      "'cursor' is not one of the choices for <agent>: claude, codex, opencode, amp.",
      'holdpoint connect --help',
    ],
    [['questions', 'show'], "missing required argument 'request_id'", 'holdpoint questions show --help'],
  ])('is refused with the reason and the help to read, as text and JSON: %j', async (args, message, help) => {
    const text = await bed.run(args);
    expect(text).toMatchObject({ code: 2, stdout: '' });
    expect(text.stderr).toMatch(/^holdpoint: .+\n {2}Run `.+` for usage\.\n$/);
    expect(text.stderr).toContain(message);
    expect(text.stderr).toContain(`\`${help}\``);
    const json = await bed.run([...args, '--json']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    const { error } = JSON.parse(json.stderr);
    const advice = [expect.stringContaining(help)];
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(message), advice });
  });

  it('is reported as text when only the words after -- contain --json', async () => {
    const ended = await bed.run(['run', '--nosuch', 'exec', '--', 'ls', '--json']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^holdpoint: unknown option/) });
  });

  it('is no error for help, which prints the help of the command it names', async () => {
    const asked = await bed.run(['help', 'questions', 'answer']);
    expect(asked).toEqual(await bed.run(['questions', 'answer', '--help']));
    expect(asked.stdout).toContain('--answers-json');
  });
});
