// `holdpoint completion`: its scripts in the shells themselves, where they are installed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endEverything, spawnHoldpoint, temporaryFolder } from '../../support/process.ts';
import { PATIENT } from '../test-bed.ts';

const has = (shell: string): boolean => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0;
const scripts: Record<string, string> = {};
let folder: string;

beforeAll(async () => {
  folder = join(temporaryFolder(), 'completion');
  mkdirSync(folder);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const started = spawnHoldpoint({ command: ['completion', shell], via: 'main' });
    expect(await started.exited).toEqual({ code: 0, signal: null });
    scripts[shell] = join(folder, `holdpoint.${shell}`);
    writeFileSync(scripts[shell], started.stdout());
  }
}, PATIENT.timeout);
afterAll(endEverything);

/** What bash offers after these words. */
function offered(...words: string[]): string[];
function offered(words: string[], PATH: string): string[];
function offered(...given: string[] | [string[], string]): string[] {
  const [words, PATH] = Array.isArray(given[0])
    ? [given[0], given[1] as string]
    : [given as string[], process.env.PATH];
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `source '${scripts.bash}'; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _holdpoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  expect(`${status}${stderr}`).toBe('0');
  return stdout.split('\n').filter(Boolean);
}

describe('completion', PATIENT, () => {
  it.skipIf(!has('bash'))('offers commands, flags and their values in bash', () => {
    expect(offered('holdpoint', '')).toEqual(
      expect.arrayContaining(['serve', 'inbox', 'questions', 'approvals', 'doctor']),
    );
    expect(offered('holdpoint', 'appro')).toEqual(['approvals', 'approve']);
    expect(offered('holdpoint', 'approvals', 'allow-')).toEqual(['allow-all']);
    expect(offered('holdpoint', 'questions', 'answer', 'ask_1', '--answers-')).toEqual([
      '--answers-json',
      '--answers-file',
    ]);
    expect(offered('holdpoint', 'tokens', 'create', '--scope', 'v')).toEqual(['viewer']);
    expect(offered('holdpoint', 'questions', 'list', '--session-id', 'approvals', '--js')).toEqual(['--json']);
    expect(offered('holdpoint', 'completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(offered('holdpoint', 'connect', 'c')).toEqual(['claude', 'codex']);
    expect(offered('holdpoint', 'questions', 'show', '--token', '')).toEqual([]);
  });

  it.skipIf(!has('bash'))('offers the ids that the program lists, where one is wanted', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'holdpoint'), '#!/bin/sh\necho "ask_of_$2"\n', { mode: 0o755 });
    const PATH = `${bin}:${process.env.PATH}`;
    expect(offered(['holdpoint', 'approvals', 'allow', 'ask'], PATH)).toEqual(['ask_of_approvals']);
    expect(offered(['holdpoint', 'questions', 'list', '--session-id', ''], PATH)).toEqual(['ask_of_sessions']);
    expect(offered(['holdpoint', 'questions', 'show', '--js'], PATH)).toEqual(['--json']);
  });

  it.skipIf(!has('zsh'))('is accepted by zsh (needs zsh)', () => {
    const { status, stderr } = spawnSync(
      'zsh',
      ['-f', '-c', `autoload -U compinit; compinit -D; source '${scripts.zsh}'`],
      { encoding: 'utf8' },
    );
    expect(`${status}${stderr}`).toBe('0');
  });

  it.skipIf(!has('fish'))('offers commands in fish (needs fish)', () => {
    const { stdout, status } = spawnSync(
      'fish',
      ['-N', '-c', `source '${scripts.fish}'; complete -C 'holdpoint approvals allow-'`],
      { encoding: 'utf8' },
    );
    expect(status).toBe(0);
    expect(stdout).toContain('allow-all');
  });

  it('refuses an unknown shell', async () => {
    const started = spawnHoldpoint({ command: ['completion', 'tcsh'], via: 'main' });
    expect((await started.exited).code).toBe(2);
    expect(started.stderr()).toContain('bash, zsh, fish');
  });
});
