// The error of an agent whose program ended before its turn did, in words for the person who started the run: how it ended,
// and its last line; or how to install it where it does not exist.
import type { ProcessExit } from '../agent.ts';

const NOT_FOUND = 127;
const LAST_LINE_CHARACTERS = 500;

export interface StartedProgram {
  /** The program, as people call it. */
  title: string;
  /** Its name in the PATH, where that is another. */
  command?: string | undefined;
  /** How it is installed, where that is known. */
  install?: string | undefined;
}

export class UnexpectedExit extends Error {
  override name = 'UnexpectedExit';

  constructor({ title, command = title, install }: StartedProgram, exit: ProcessExit) {
    super(
      exit.exitCode === NOT_FOUND
        ? `${command} is not installed on the machine of this worker, or not in its PATH${install ? `: ${install}` : '.'}`
        : `${title} ended in the middle of its work ${exitText(exit)}`,
    );
  }
}

function exitText({ exitCode, signal, stderr }: ProcessExit): string {
  const last = stderr.trim().split('\n').at(-1)?.slice(0, LAST_LINE_CHARACTERS);
  return `(${signal ?? `exit code ${exitCode}`})${last ? `: ${last}` : '.'}`;
}
