// Runs generated command lines in a real bash whose PATH holds only stub programs that record their names and arguments,
// and compares what ran with what the rules had decided about the line. A complaint is a command that ran although a rule
// against it would not have been consulted, or that an allowed line ran without being allowed itself.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Rule, sourced } from '../../src/core/rule.ts';
import { compileRules, type RuleSet } from '../../src/core/rule-index.ts';
import { decideByRules } from '../../src/core/rule-set.ts';
import { readShell } from '../../src/core/shell/read.ts';
import type { Random } from '../support/seeded-random.ts';
import { REAL_WRAPPERS, STUBS, shellLine } from './shell-lines.ts';

export interface ShellReport {
  lines: number;
  /** Lines of which bash ran at least one stub. */
  ran: number;
  allowed: number;
  complaints: string[];
}

const rulesOf = (rules: Rule[]): RuleSet => compileRules(sourced('organisation', 'rules', rules));
const bash = (action: Rule['action'], ...command: string[]): Rule => ({
  tool: 'Bash',
  action,
  ...(command.length > 0 && { matches: { command } }),
});

const ALLOWED = new Set(['p0', 'p1', 'p2']);
const ALLOWING = rulesOf([bash('allow', ...[...ALLOWED].map((name) => `${name} *`))]);
const REJECTING = new Map(STUBS.map((name) => [name, rulesOf([bash('reject', `${name} *`), bash('allow')])]));

export const decisionOf = (set: RuleSet, command: string): string =>
  decideByRules({ sets: [set] }, { tool: 'Bash', input: { command }, context: 'thread' }).decision;

interface Ran {
  line: string;
  log: string;
  folder: string;
}

export function fuzzShell(random: Random, count: number): ShellReport {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-shell-'));
  try {
    const wrappers = REAL_WRAPPERS.flatMap((name) =>
      ['/usr/bin', '/bin']
        .map((folder) => join(folder, name))
        .filter(existsSync)
        .slice(0, 1),
    );
    const runs = Array.from({ length: count }, (_, i) => run(join(root, String(i)), wrappers, shellLine(random)));
    const executed = runs.map((each) => ({ ...each, programs: programsOf(each.log) }));
    return {
      lines: count,
      ran: executed.filter(({ programs }) => programs.length > 0).length,
      allowed: executed.filter(({ line, programs }) => programs.length > 0 && decisionOf(ALLOWING, line) === 'allow')
        .length,
      complaints: executed.flatMap(complaintsOf),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function run(root: string, wrappers: readonly string[], line: string): Ran {
  const [bin, folder, log] = ['bin', 'work', 'log'].map((name) => join(root, name)) as [string, string, string];
  mkdirSync(join(folder, 'd'), { recursive: true });
  mkdirSync(bin);
  mkdirSync(log);
  for (const path of wrappers) symlinkSync(path, join(bin, path.slice(path.lastIndexOf('/') + 1)));
  // A file per process: programs that run at the same time do not write into each other's records.
  const stub = `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" >>'${log}/'$$\n`;
  for (const [i, name] of STUBS.entries()) {
    writeFileSync(join(bin, name), `${stub}exit ${i % 2}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  // Programs in the background record their names, too, before their shell ends.
  const start = join(root, 'start');
  writeFileSync(start, 'trap wait EXIT\n');
  const limits = 'ulimit -t 2 -f 2000; exec bash --norc --noprofile -c "$1" bash';
  const { pid } = spawnSync('timeout', ['-s', 'KILL', '3', 'sh', '-c', limits, 'sh', line], {
    cwd: folder,
    env: { PATH: `${bin}`, HOME: folder, BASH_ENV: start, FUNCNEST: '8', LC_ALL: 'C.UTF-8' },
    stdio: 'ignore',
    timeout: 10_000,
  });
  endGroup(pid);
  return { line, log, folder };
}

/** What a line left running in the background: a function that calls itself there would multiply without end. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const programsOf = (log: string): string[][] =>
  readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8').split('\x1f').slice(0, -1));

function complaintsOf({ line, folder, programs }: Ran & { programs: string[][] }): string[] {
  const unseen = new Set(programs.map(([name = '']) => name));
  const complaints = [...unseen]
    .filter((name) => decisionOf(REJECTING.get(name) ?? ALLOWING, line) === 'allow')
    .map((name) => `${name} ran although it is rejected: ${JSON.stringify(line)}`);
  if (decisionOf(ALLOWING, line) !== 'allow') return complaints;
  for (const program of programs)
    if (!ALLOWED.has(program[0] ?? '') || !isRead(line, program))
      complaints.push(`${JSON.stringify(program)} ran in an allowed line: ${JSON.stringify(line)}`);
  const files = readdirSync(folder).filter((name) => name !== 'd');
  if (files.length > 0) complaints.push(`${files.join(', ')} was written by an allowed line: ${JSON.stringify(line)}`);
  return complaints;
}

/** Whether some command of the line has these words, where all of its words are literal. */
function isRead(line: string, program: readonly string[]): boolean {
  return readShell(line).commands.some(({ words }) =>
    words.every(({ kind }) => kind === 'literal')
      ? words.length === program.length && words.every(({ text }, i) => text === program[i])
      : words[0]?.text === program[0],
  );
}
