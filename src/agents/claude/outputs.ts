// What a run of Claude Code tells of itself, in the order in which it happened: what was said, and what is needed to take it
// up again, which is its conversation, its permission mode, and what it was held on. Owns that order; what cannot be
// told breaks the talk off.
import type { AgentContext, OutputOptions } from '../agent.ts';
import type { Beginning } from './launch.ts';

/** The outputs in which a run keeps what it needs to be taken up again. */
export const CONVERSATION = 'claude-conversation';
export const MODE = 'claude-mode';
export const heldOn = (callId: string): string => `claude-held-on-${callId}`;

export interface Telling {
  /** Once all is told that came before. */
  tell(what: () => Promise<void>): Promise<void>;
  /** When all is told that was to be told until now. */
  done(): Promise<void>;
  say(text: string, saying: OutputOptions): void;
  conversation(sessionId: string): void;
  heldOn(callId: string): Promise<void>;
  /** The permission mode that the session is in. */
  mode(): string;
  turnTo(mode: string): void;
}

export function createTelling(
  context: Pick<AgentContext, 'output'>,
  { mode: first, lastMode = first }: Pick<Beginning, 'mode' | 'lastMode'>,
  broken: (error: unknown) => void,
): Telling {
  let telling: Promise<void> = Promise.resolve();
  let mode = first;
  let keptMode = lastMode;

  function tell(what: () => Promise<void>): Promise<void> {
    telling = telling.then(what).catch(broken);
    return telling;
  }
  const keep = (id: string, type: string, data: Record<string, unknown>) =>
    tell(() => context.output(undefined, { id, type, data }));

  return {
    tell,
    done: () => telling,
    say: (text, saying) => void tell(() => context.output(text, saying)),
    conversation: (id) => void keep(`${CONVERSATION}-${id}`, CONVERSATION, { session_id: id }),
    heldOn: (callId) => keep(heldOn(callId), MODE, { mode }),
    mode: () => mode,
    /** Kept, so that it is taken up again in the mode that it had come to. */
    turnTo(next) {
      if (next === mode && next === keptMode) return;
      mode = next;
      keptMode = next;
      void keep(`${MODE}-${crypto.randomUUID()}`, MODE, { mode: next });
    },
  };
}
