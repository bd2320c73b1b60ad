// What a thread asks, as its items tell: pure. It stays its prompt until the agent has the answer, so this may be an ask
// that has ended; a post meanwhile would be refused.
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
