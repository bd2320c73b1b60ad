// Asks a running Claude Code about what it does, beside its conversation: it replies from what it knows, uses no tool, and
// what is asked and replied is not part of the conversation. The call that waits for a decision goes on waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { canonical } from '../../core/digest.ts';
import { shorten } from '../../core/text-limit.ts';
import { sideQuestion, sideReply } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

/** A model may take its time; after this the comment has no reply. */
const REPLIES_WITHIN_MS = 120_000;
const SHOWN_INPUT = 2000;

export function createSideQuestions(send: (line: string) => void, withinMs = REPLIES_WITHIN_MS) {
  const waiting = new Map<string, (response: unknown) => void>();
  let count = 0;
  return {
    async ask({ name, input }: Pick<ToolCall, 'name' | 'input'>, comment: string): Promise<string | undefined> {
      count += 1;
      const requestId = `side-${count}`;
      const response = new Promise<unknown>((resolve) => waiting.set(requestId, resolve));
      send(sideQuestion(requestId, questionOf(name, input, comment)));
      const received = await Promise.race([response, sleep(withinMs, undefined, { ref: false })]);
      waiting.delete(requestId);
      return sideReply(received);
    },
    /** The response to any request of ours. */
    received(requestId: string, response: unknown): void {
      waiting.get(requestId)?.(response);
    },
  };
}

function questionOf(name: string, input: Record<string, unknown>, comment: string): string {
  const call = `${name} ${shorten(canonical(input), SHOWN_INPUT)}`;
  return `You wait for a person's decision about this call of yours: ${call}\nBefore deciding, the person comments:\n\n${comment}\n\nReply to the person in a few sentences. This is no decision: do not go on with the call.`;
}
