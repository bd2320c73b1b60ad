// What people comment on an ask while a tool call waits for it. It comes as a result that is still pending, each comment once
// on its own; the model replies and goes on waiting with check_answer. A comment is no answer, whatever it says.
import { personComments, repliedComments } from '../core/activity.ts';
import { fail } from '../core/errors.ts';
import type { AskView } from '../core/views.ts';
import type { Backed } from './calls.ts';

/** Without a reply as yet; none where the agent of the ask reads no comments. */
export const unreplied = (ask: AskView) =>
  ask.takes_comments
    ? personComments(ask)
        .slice(repliedComments(ask))
        .map(({ by, text }) => ({ by, text }))
    : [];

/**
 * Once, however often the call is repeated before it is shown a further comment: those it was shown are what it replies to.
 * Too late is no failure: the result has the answer then.
 */
export async function postReply(
  { backend, calls }: Pick<Backed, 'backend' | 'calls'>,
  ask: AskView,
  text: string,
): Promise<void> {
  const read = Math.max(calls.commentsShown(ask.ask_id), repliedComments(ask));
  const last = ask.comments?.findLast(({ role }) => role === 'agent');
  if (ask.takes_comments !== true)
    throw fail('invalid_request', 'reply: nobody comments on this request here. Leave it out.');
  if (ask.answer !== undefined || (last?.text === text && repliedComments(ask) === read)) return;
  await backend.reply(ask.ask_id, text, read).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ask_state_conflict') throw error;
  });
}
