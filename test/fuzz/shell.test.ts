// Command lines that a real bash runs, compared with what rules had decided about them. A longer run: `npm run fuzz:shell`.
// Covers: src/core/shell/
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readShell } from '../../src/core/shell/read.ts';
import { seeded } from '../support/seeded-random.ts';
import { shellLine } from './shell-lines.ts';
import { fuzzShell } from './shell-run.ts';

it('lets no command run in bash that rules did not evaluate', () => {
  const report = fuzzShell(seeded('shell fuzz'), 60);
  expect(report.complaints).toEqual([]);
  expect(report.ran).toBeGreaterThan(10);
});

it('reads what bash accepts, or says that it cannot', () => {
  const random = seeded('shell syntax');
  const lines = Array.from({ length: 60 }, () => shellLine(random));
  const accepted = lines.filter((line) => spawnSync('bash', ['-n', '-c', line]).status === 0);
  expect(accepted.length).toBeGreaterThan(10);
  const lost = accepted.filter((line) => {
    const { commands, unknown } = readShell(line);
    return unknown === undefined && commands.length === 0 && /p\d/.test(line.replace(/#.*/g, ''));
  });
  expect(lost).toEqual([]);
});
