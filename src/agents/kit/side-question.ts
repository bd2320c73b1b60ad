// Words what a person comments on a request as a question to the agent that made it, to be asked beside its conversation:
// the agent explains itself and does nothing. Pure.
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import { shorten } from '../../core/text-limit.ts';

/** A model may take its time; after this the comment has no reply. */
export const REPLIES_WITHIN_MS = 120_000;
const SHOWN_REQUEST = 2000;

export type AboutRequest = Pick<ApproveSpec, 'tool_name' | 'input'> | Pick<AskSpec, 'questions'>;

export function sideQuestion(about: AboutRequest, comment: string): string {
  const request =
    'tool_name' in about
      ? `this call of yours: ${about.tool_name} ${shorten(canonical(about.input), SHOWN_REQUEST)}`
      : `this question of yours: ${shorten(canonical(about.questions ?? about), SHOWN_REQUEST)}`;
  return `You wait for a person's decision about ${request}\nBefore deciding, the person comments:\n\n${comment}\n\nReply to the person in a few sentences. This is no decision: do not go on with it, and use no tool.`;
}

/** Rejects after a while, or when the ask has ended. */
export async function withinTime<T>(reply: Promise<T>, signal: AbortSignal, withinMs = REPLIES_WITHIN_MS): Promise<T> {
  const late = Promise.withResolvers<never>();
  const onAbort = () => late.reject(new Error('the request has ended'));
  const timer = setTimeout(() => late.reject(new Error('the agent did not reply in time')), withinMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
