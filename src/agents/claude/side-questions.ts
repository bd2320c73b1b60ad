// Asks a running Claude Code about what it does, beside its conversation: it replies from what it knows, uses no tool, and
// what is asked and replied is not part of the conversation. The call that waits for a decision goes on waiting.
import { sideQuestion, withinTime } from '../kit/side-question.ts';
import { sideReply, sideRequest } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

export function createSideQuestions(send: (line: string) => void) {
  const waiting = new Map<string, (response: unknown) => void>();
  let count = 0;
  return {
    async ask(
      { name, input }: Pick<ToolCall, 'name' | 'input'>,
      comment: string,
      signal: AbortSignal,
    ): Promise<string | undefined> {
      count += 1;
      const requestId = `side-${count}`;
      const response = new Promise<unknown>((resolve) => waiting.set(requestId, resolve));
      send(sideRequest(requestId, sideQuestion({ tool_name: name, input }, comment)));
      try {
        return sideReply(await withinTime(response, signal));
      } finally {
        waiting.delete(requestId);
      }
    },
    /** The response to any request of ours. */
    received(requestId: string, response: unknown): void {
      waiting.get(requestId)?.(response);
    },
  };
}
