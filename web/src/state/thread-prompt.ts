// Finds the open prompt of a thread in its items, and decides whether a text still does what it was started for. Pure. A
// prompt stays open until the agent has the answer, so it may belong to an ask that has ended; a post meanwhile would be
// refused.
import type { ItemView } from '../../../src/core/views.ts';

export const typeOf = ({ metadata }: ItemView): string => (typeof metadata?.type === 'string' ? metadata.type : 'post');

export const promptIdOf = ({ metadata }: ItemView): string =>
  String((Object(metadata?.prompt) as { prompt_id?: unknown }).prompt_id);

export function openPrompt(items: readonly ItemView[]): ItemView | undefined {
  const last = items.findLast((item) => typeOf(item) === 'pending_prompt');
  const isResolved = items.some(
    (item) => last && typeOf(item) === 'pending_prompt_resolved' && promptIdOf(item) === promptIdOf(last),
  );
  return isResolved ? undefined : last;
}

/** What a post would answer: the id of an ask, `IN_DELIVERY`, or `NO_PROMPT`. */
export type PostTarget = string;
export const NO_PROMPT: PostTarget = '';
/** An answer is being delivered: what is asked next is not known yet. */
export const IN_DELIVERY: PostTarget = 'on-its-way';

/**
 * Sending the text now would do something else than what it was started for. A text started during a delivery is a next
 * message, and may be sent where nothing is asked.
 */
export const hasNewTarget = (startedFor: PostTarget, target: PostTarget): boolean =>
  startedFor !== target && !(startedFor === IN_DELIVERY && target === NO_PROMPT);
