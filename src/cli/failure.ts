// Reports what went wrong: one sentence and advice for a person, an exit code and JSON for a script. Commands throw; only
// main.ts catches.
import { HoldpointProblem, HoldpointUnreachable } from '../client/http.ts';
import { duration, timeOfDay } from '../client/times.ts';
import { endedHow } from '../core/ask.ts';
import { EXIT, type ExitName, exitOfProblem } from './exit-codes.ts';
import { programName } from './program-name.ts';
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

/** The person left the command; leaving answers nothing. */
export const left = (message = 'nothing was answered'): Failure => new Failure('aborted', message);

export interface FailureReport {
  exit: ExitName;
  message: string;
  advice: readonly string[];
  problem?: HoldpointProblem | undefined;
}

export function reportOf(error: unknown, nowMs: number = Date.now()): FailureReport {
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
  status === 401 ? [`Which token is used, and what to do: ${programName()} doctor`] : [];

function problemText({ winner, detail }: HoldpointProblem, nowMs: number): string {
  if (!winner) return detail;
  const ago = `${duration(nowMs - winner.answered_at_ms)} ago`;
  if (winner.outcome === 'expired') return `too late: it expired at ${timeOfDay(winner.answered_at_ms)}, ${ago}`;
  const { undelivered, ...ended } = winner;
  return `too late: ${endedHow(ended)} ${ago}${undelivered === undefined ? '' : `: ${undelivered}`}`;
}

/** Writes the report and returns the exit code. */
export function report(error: unknown, options: { json: boolean; write(text: string): void }): number {
  const { exit, message, advice, problem } = reportOf(error);
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
