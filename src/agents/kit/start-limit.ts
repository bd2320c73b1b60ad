// Ends a program that was started and is not ready in time: one that waits for a login, a download or a lock says nothing, and
// its run would wait for ever. The exit that follows is reported in words for the person who started the run.
import { truncate } from '../../core/text-limit.ts';
import type { AgentContext, ProcessExit } from '../agent.ts';
import { type StartedProgram, UnexpectedExit } from './unexpected-exit.ts';

const LAST_LINES = 5;
const LINE_CHARACTERS = 300;

/** Awaits one step of the start. If that takes too long, the program is ended, which the step has to notice. */
export type StartStep = <T>(ready: Promise<T>) => Promise<T>;

/** `end` ends the process. */
export function createStartLimit(
  { startLimitMs }: Pick<AgentContext, 'startLimitMs'>,
  { argv, ...program }: StartedProgram & { argv: readonly string[] },
  end: () => void,
) {
  let waiting = 0;
  let isLate = false;
  let isLifted = false;
  const printed: string[] = [];

  return {
    /** Notes what the program prints while it is waited for. */
    heard(line: string): void {
      if (waiting === 0) return;
      printed.push(truncate(line, LINE_CHARACTERS));
      if (printed.length > LAST_LINES) printed.shift();
    },
    /** The program has asked something: from now on it may be a person who takes the time. */
    lift(): void {
      isLifted = true;
    },
    step: (async (ready) => {
      waiting += 1;
      const timer = setTimeout(() => {
        if (isLifted) return;
        isLate = true;
        end();
      }, startLimitMs);
      try {
        return await ready;
      } finally {
        clearTimeout(timer);
        waiting -= 1;
      }
    }) as StartStep,
    errorOf(exit: ProcessExit): UnexpectedExit {
      const error = new UnexpectedExit(program, exit);
      if (!isLate) return error;
      const lines = [...printed, ...exit.stderr.trim().split('\n').slice(-LAST_LINES)].filter(Boolean);
      const said = lines.length === 0 ? 'It printed nothing.' : `The last that it printed:\n${lines.join('\n')}`;
      error.message = `${program.title} was started (${argv.join(' ')}) and was not ready after ${startLimitMs / 1000} s, so it was ended. ${said}\nStart it yourself in the same folder, on the machine of this worker, to see what it waits for: a login, a download, another process. Then start the run again.`;
      return error;
    },
  };
}
