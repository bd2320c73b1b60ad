// What went wrong, told to a person in one sentence and to a script by exit code and JSON. Every command throws; only
// main.ts catches, and reports through here.
import { HoldpointProblem, HoldpointUnreachable } from '../client/http.ts';
import { duration } from '../client/times.ts';
import { endedHow } from '../core/ask.ts';
import { EXIT, type ExitName, exitOfProblem } from './exit-codes.ts';
import { ownName } from './program-name.ts';
import { jsonText } from './text/json-text.ts';
import { oneLine, prose } from './text/terminal-text.ts';

export class Failure extends Error {
  readonly exit: ExitName;
  /** Lines that say what to do about it. */
  readonly advice: readonly string[];

  constructor(exit: ExitName, message: string, ...advice: string[]) {
    super(message);
    this.name = 'Failure';
    this.exit = exit;
    this.advice = advice;
  }
}

/** The person left; nothing was answered by that. */
export const left = (message = 'nothing was answered'): Failure => new Failure('aborted', message);

export interface Told {
  exit: ExitName;
  message: string;
  advice: readonly string[];
  problem?: HoldpointProblem | undefined;
}

export function told(error: unknown, nowMs: number = Date.now()): Told {
  if (error instanceof Failure) {
    const problem = error.cause instanceof HoldpointProblem ? error.cause : undefined;
    return { exit: error.exit, message: error.message, advice: error.advice, problem };
  }
  if (error instanceof HoldpointUnreachable) return { exit: 'unreachable', message: error.message, advice: [] };
  if (error instanceof HoldpointProblem)
    return { exit: exitOfProblem(error), message: problemText(error, nowMs), advice: adviceOn(error), problem: error };
  return { exit: 'unexpected', message: error instanceof Error ? error.message : String(error), advice: [] };
}

const adviceOn = ({ status }: HoldpointProblem): string[] =>
  status === 401 ? [`Which token is used, and what to do: ${ownName()} doctor`] : [];

function problemText(problem: HoldpointProblem, nowMs: number): string {
  const { winner, detail } = problem;
  if (!winner) return detail;
  const ago = duration(nowMs - winner.answered_at_ms);
  if (winner.outcome === 'expired') return `too late: it expired ${ago} ago`;
  return `too late: ${endedHow(winner)} ${ago} ago`;
}

/** To standard error; the exit code follows. */
export function report(error: unknown, options: { json: boolean; write(text: string): void }): number {
  const { exit, message, advice, problem } = told(error);
  if (options.json) {
    const more = problem && { code: problem.code, domain: problem.domain, status: problem.status };
    const winner = problem?.winner && { winner: problem.winner };
    const document = { exit_code: EXIT[exit], exit, message, ...(advice.length > 0 && { advice }), ...more, ...winner };
    options.write(`${jsonText({ error: document })}\n`);
    return EXIT[exit];
  }
  options.write(`holdpoint: ${oneLine(message)}\n`);
  for (const line of advice) options.write(`  ${prose(line)}\n`);
  return EXIT[exit];
}
