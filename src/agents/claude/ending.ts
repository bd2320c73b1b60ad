// How a talk with a process of Claude Code ended: with a result, held, or in the middle of its work, and in words that a
// person can do something with. Pure.
import type { Ending, ProcessExit } from '../agent.ts';
import { isDeferred, isSuccess } from './last-turn.ts';
import { program } from './program.ts';
import { type ClaudeResult, REFUSED } from './protocol.ts';

/**
 * `no_conversation`: it ended before it began, as it does when there is no such conversation, or there is one already.
 * `died`: it ended in the middle of its work; `owes` says whether somebody was still to answer, or had just done so.
 */
export type TalkEnding =
  | Extract<Ending, { ended: 'completed' | 'held' }>
  | { ended: 'no_conversation' | 'died'; error: string; exitCode: number; owes: boolean };

const NOT_FOUND = 127;

export function endingOf(
  exit: ProcessExit,
  result: ClaudeResult | undefined,
  hasBegun: boolean,
  owes: boolean,
): TalkEnding {
  if (result && isDeferred(result)) return { ended: 'held' };
  if (result && isSuccess(result)) return { ended: 'completed' };
  const { exitCode } = exit;
  const ended = hasBegun || exitCode === NOT_FOUND ? 'died' : 'no_conversation';
  return { ended, error: failureText(exit, result), exitCode, owes: owes && !result };
}

function failureText({ exitCode, signal, stderr }: ProcessExit, result: ClaudeResult | undefined): string {
  if (exitCode === NOT_FOUND)
    return `Claude Code is not installed on the machine of this worker, or \`claude\` is not in its PATH: ${program.install}`;
  const said = result?.errors?.join('\n') || result?.result || stderr.trim().split('\n').at(-1) || '';
  if (result?.subtype === REFUSED) return `A hook of Claude Code refused the prompt: ${said.slice(0, 2000)}`;
  const how = result ? result.subtype.replaceAll('_', ' ') : (signal ?? `exit code ${exitCode}`);
  return `Claude Code ended in the middle of its work (${how})${said ? `: ${said.slice(0, 2000)}` : '.'}`;
}
