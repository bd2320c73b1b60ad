// Stores what Claude Code said, and the state that a later process needs to resume: the id of the conversation, its
// permission mode, and the call that the run is held on. Owns the ids and types of these outputs and the current mode.
import type { AgentContext } from '../agent.ts';
import { createOutputQueue } from '../kit/output-queue.ts';
import type { LaunchOptions } from './launch.ts';

/** Output types. */
export const CONVERSATION = 'claude-conversation';
export const MODE = 'claude-mode';
export const heldOutputId = (callId: string): string => `claude-held-on-${callId}`;

export type Outputs = ReturnType<typeof createOutputs>;

export function createOutputs(
  context: Pick<AgentContext, 'output'>,
  { mode: first, lastMode = first }: Pick<LaunchOptions, 'mode' | 'lastMode'>,
  onFailure: (error: unknown) => void,
) {
  const queue = createOutputQueue(context, onFailure);
  let mode = first;
  let storedMode = lastMode;
  const store = (id: string, type: string, data: Record<string, unknown>): Promise<void> =>
    queue.output(undefined, { id, type, data });

  return {
    ...queue,
    conversation: (id: string) => void store(`${CONVERSATION}-${id}`, CONVERSATION, { session_id: id }),
    /** Resolves when it is stored that the run is held on this call. */
    heldOn: (callId: string) => store(heldOutputId(callId), MODE, { mode }),
    /** The permission mode that the session is in. */
    mode: () => mode,
    setMode(next: string): void {
      if (next === mode && next === storedMode) return;
      mode = next;
      storedMode = next;
      void store(`${MODE}-${crypto.randomUUID()}`, MODE, { mode: next });
    },
  };
}
