// Which version of a program is on this machine: what it says when it is asked with `--version`. Changes nothing, waits
// a few seconds at most, and says `undefined` for what is not there or does not answer.
import { tmpdir } from 'node:os';
import { processes } from './process.ts';
import { inherited } from './program-environment.ts';

const LIMIT_MS = 10_000;
const VERSION = /\d+\.\d+\.\d+(?:-[\w.]+)?/;

export async function programVersion(program: string): Promise<string | undefined> {
  const mark = `HOLDPOINT_LOOK=${crypto.randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const asked = processes.run({
    argv: [program, '--version'],
    folder: tmpdir(),
    env: { ...inherited(), [name]: value },
    limitMs: LIMIT_MS,
    mark,
    signal: new AbortController().signal,
    onStart: () => {},
  });
  const { exitCode, stdout } = await asked.catch(() => ({ exitCode: 1, stdout: '' }));
  return exitCode === 0 ? (VERSION.exec(stdout)?.[0] ?? 'of unknown version') : undefined;
}
