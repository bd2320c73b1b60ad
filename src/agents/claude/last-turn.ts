// Decides which turn of a Claude Code process is its last, and what the end of the process means. A turn is not the last
// while sub-agents or, for a limited time, commands run in the background, or their results have not reached the model:
// Claude Code then starts another turn by itself.
import type { Ending, ProcessExit } from '../agent.ts';
import { type Background, isQuiet } from './background-tasks.ts';
import { program } from './program.ts';
import { type ClaudeResult, REFUSED } from './protocol.ts';

interface Callbacks {
  /** `isGivenUp`: background commands are still running, so the process will not exit by itself. */
  onOver(isGivenUp: boolean): void;
  /** The turn has ended, and the process stays for these tasks. */
  onStay(tasks: readonly string[]): void;
}

/** If there is news for the model and no turn has started by then, none will. */
const NEXT_TURN_MS = 5000;

const isDeferred = ({ stop_reason }: ClaudeResult): boolean => stop_reason === 'tool_deferred';
const isSuccess = ({ is_error, subtype }: ClaudeResult): boolean => !is_error && subtype === 'success';

/** The slash command that Claude Code ran by itself, so that the model never got the prompt. */
export const ownCommand = (prompt: string | undefined, result: ClaudeResult): string | undefined =>
  isSuccess(result) && result.num_turns === 0 ? /^\/\S+/.exec(prompt ?? '')?.[0] : undefined;

/** `commandsMs`: how long commands alone keep the process; a server that was started in the background never ends. */
export function createLastTurn(commandsMs: number, { onOver, onStay }: Callbacks) {
  let last: ClaudeResult | undefined;
  let paused: ClaudeResult | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;

  function finish(result: ClaudeResult, isGivenUp: boolean): void {
    last = result;
    onOver(isGivenUp);
  }

  function pause(result: ClaudeResult, { agents, commands }: Background): void {
    clearTimeout(limit);
    paused = result;
    if (agents.length > 0) return;
    const hasCommands = commands.length > 0;
    limit = setTimeout(() => finish(result, hasCommands), hasCommands ? commandsMs : NEXT_TURN_MS);
  }

  return {
    started(): void {
      clearTimeout(limit);
      paused = undefined;
    },
    ended(result: ClaudeResult, background: Background) {
      // A `tool_deferred` result is final: results that come after it do not replace it.
      if (last) return;
      if (isDeferred(result) || !isSuccess(result) || isQuiet(background)) return finish(result, false);
      pause(result, background);
      const tasks = [...background.agents, ...background.commands];
      if (tasks.length > 0) onStay(tasks);
    },
    backgroundChanged(background: Background): void {
      if (paused && !last) pause(paused, background);
    },
    /** Undefined until the last turn has ended. */
    result: () => last,
    close: () => clearTimeout(limit),
  };
}

/**
 * `no_conversation`: it exited before it started, as it does when the conversation does not exist, or exists already.
 * `died`: it exited in the middle of its work. `isOwed`: an ask was unanswered, or its answer may not have arrived.
 */
export type ProcessEnding =
  | Extract<Ending, { ended: 'completed' | 'held' }>
  | { ended: 'no_conversation' | 'died'; error: string; exitCode: number; isOwed: boolean };

const COMMAND_NOT_FOUND = 127;
const NOT_SIGNED_IN = /not logged in|run \/login/i;

export function processEnding(
  exit: ProcessExit,
  result: ClaudeResult | undefined,
  hasStarted: boolean,
  isOwed: boolean,
): ProcessEnding {
  if (result && isDeferred(result)) return { ended: 'held' };
  if (result && isSuccess(result)) return { ended: 'completed' };
  const { exitCode } = exit;
  const ended = hasStarted || exitCode === COMMAND_NOT_FOUND ? 'died' : 'no_conversation';
  return { ended, error: failureText(exit, result), exitCode, isOwed: isOwed && !result };
}

function failureText({ exitCode, signal, stderr }: ProcessExit, result: ClaudeResult | undefined): string {
  if (exitCode === COMMAND_NOT_FOUND)
    return `Claude Code is not installed on the machine of this worker, or \`claude\` is not in its PATH: ${program.install}`;
  const said = result?.errors?.join('\n') || result?.result || stderr.trim().split('\n').at(-1) || '';
  if (result?.subtype === REFUSED) return `A hook of Claude Code refused the prompt: ${said.slice(0, 2000)}`;
  if (NOT_SIGNED_IN.test(said))
    return `Claude Code is not signed in on the machine of this worker: run \`claude\` there, as the worker's user, and type /login. It said: ${said.slice(0, 2000)}`;
  // It also calls a turn a success that the model never answered.
  const how = result
    ? result.subtype.replace(/^success$/, 'an error').replaceAll('_', ' ')
    : (signal ?? `exit code ${exitCode}`);
  return `Claude Code ended in the middle of its work (${how})${said ? `: ${said.slice(0, 2000)}` : '.'}`;
}
