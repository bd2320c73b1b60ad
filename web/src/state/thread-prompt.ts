// What a thread asks, as its items tell: pure. It stays its prompt until the agent has the answer, so this may be an ask
// that has ended; a post meanwhile would be refused. Also: whether a text still means what it was begun for.
import type { ItemView } from '../../../src/core/views.ts';

export const typeOf = ({ metadata }: ItemView): string => (typeof metadata?.type === 'string' ? metadata.type : 'post');

export const promptIdOf = ({ metadata }: ItemView): string =>
  String((Object(metadata?.prompt) as { prompt_id?: unknown }).prompt_id);

/** The item of the prompt that is open. */
export function openPrompt(items: readonly ItemView[]): ItemView | undefined {
  const last = items.findLast((item) => typeOf(item) === 'pending_prompt');
  const isResolved = items.some(
    (item) => last && typeOf(item) === 'pending_prompt_resolved' && promptIdOf(item) === promptIdOf(last),
  );
  return isResolved ? undefined : last;
}

/** Stands for the ask while an answer is on its way: what is asked next is not known, so nothing is begun for it. */
export const ON_ITS_WAY = 'on-its-way';

/**
 * Sending the text now would do something else than what it was begun for: the id of an ask, `ON_ITS_WAY`, or nothing.
 * What was begun while an answer was on its way is a next message, and goes where nothing is asked.
 */
export const hasMoved = (begunFor: string, asked: string): boolean =>
  begunFor !== asked && !(begunFor === ON_ITS_WAY && asked === '');
