// When the talk with a process of Claude Code is over. The end of a turn is not, as long as sub-agents go on in the
// background, or commands, for a while, or the model is still to be told how they ended: Claude Code then begins
// another turn by itself. Owns which turn was the last, and thereby which result counts.
import { type Background, isQuiet } from './background-tasks.ts';
import type { ClaudeResult } from './protocol.ts';

export interface LastTurn {
  begun(): void;
  ended(result: ClaudeResult, background: Background): void;
  changed(background: Background): void;
  /** Nothing as long as the last turn has not ended. */
  result(): ClaudeResult | undefined;
  close(): void;
}

interface Course {
  /** How long commands alone may keep it: a server that was started in the background never ends. */
  commandsMs: number;
  /** It was the last turn. `isGivenUp`: its commands will not end, so neither will it. */
  over(isGivenUp: boolean): void;
  /** It has ended its turn, and stays for these. */
  stays(going: readonly string[]): void;
}

/** There is news for the model, and yet no turn began: then there will be none. */
const BEGINS_WITHIN_MS = 5000;

export const isDeferred = ({ stop_reason }: ClaudeResult): boolean => stop_reason === 'tool_deferred';
export const isSuccess = ({ is_error, subtype }: ClaudeResult): boolean => !is_error && subtype === 'success';

/** What Claude Code took for a command of its own, so that no model was asked. */
export const ownCommand = (prompt: string | undefined, result: ClaudeResult): string | undefined =>
  isSuccess(result) && result.num_turns === 0 ? /^\/\S+/.exec(prompt ?? '')?.[0] : undefined;

export function createLastTurn({ commandsMs, over, stays }: Course): LastTurn {
  let last: ClaudeResult | undefined;
  let paused: ClaudeResult | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;

  function finish(result: ClaudeResult, isGivenUp: boolean): void {
    last = result;
    over(isGivenUp);
  }

  function pause(result: ClaudeResult, { agents, commands }: Background): void {
    clearTimeout(limit);
    paused = result;
    if (agents.length > 0) return;
    const hasCommands = commands.length > 0;
    limit = setTimeout(() => finish(result, hasCommands), hasCommands ? commandsMs : BEGINS_WITHIN_MS);
  }

  return {
    begun() {
      clearTimeout(limit);
      paused = undefined;
    },
    ended(result, background) {
      // A `tool_deferred` result is final: results that come after it do not replace it.
      if (last) return;
      if (isDeferred(result) || !isSuccess(result) || isQuiet(background)) return finish(result, false);
      pause(result, background);
      const going = [...background.agents, ...background.commands];
      if (going.length > 0) stays(going);
    },
    changed(background) {
      if (paused && !last) pause(paused, background);
    },
    result: () => last,
    close: () => clearTimeout(limit),
  };
}
