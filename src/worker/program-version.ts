// Reads the version of an installed program from its `--version`. Resolves to undefined when the program is missing or
// does not answer within a few seconds.
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
