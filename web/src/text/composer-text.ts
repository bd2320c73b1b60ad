// Says what the composer would do with a text: which ask it answers, why it was not sent, or why none can be sent. Pure.
import { isQuestion } from '../../../src/client/action-summary.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { IN_DELIVERY, NO_PROMPT, type PostTarget } from '../state/thread-prompt.ts';
import { summary } from './ask-text.ts';
import { agentName, isAttached } from './session-text.ts';

export const IN_DELIVERY_TEXT = 'Delivering your last answer. You can send this once it arrives.';

export const targetChangedText = (startedFor: PostTarget): string => {
  const isForAsk = startedFor !== NO_PROMPT && startedFor !== IN_DELIVERY;
  const when = isForAsk ? 'for a request that has ended' : 'before this was asked';
  return `Not sent: you started writing this ${when}. Check what it would do now, then send it again.`;
};

/** Why nothing can be sent; undefined where something can. `prompt`: the ask that a post would answer. */
export function closedText(
  session: SessionView,
  pending: readonly AskView[],
  prompt: AskView | undefined,
  mayAnswer: boolean,
): string | undefined {
  if (!mayAnswer) return 'You have view-only access.';
  if (session.status === 'ended')
    return isAttached(session)
      ? `This session has ended. If ${agentName(session)} continues, it asks only at its terminal.`
      : 'This session has ended. Start a new run to continue.';
  if (pending.some((ask) => ask.mode === 'form'))
    return 'A form is waiting above. Submit or decline it before you write anything else.';
  if (pending.some(asksSecret)) return 'A secret is requested above. Enter it there, where it is masked.';
  if (pending.length > 1) return `${pending.length} requests are waiting above. Answer each on its own card.`;
  if (prompt?.kind === 'approval') return 'A request is waiting above. Allow it there, or deny it and say why.';
  if (!prompt && isAttached(session))
    return `Nothing is waiting. ${agentName(session)} takes only answers from here; type anything else at its terminal.`;
  return undefined;
}

const asksSecret = ({ request }: AskView): boolean => isQuestion(request) && request.questions.some((q) => q.secret);

/** What a text would do. `prompt`: the question that it would answer. */
export function effectText(prompt: AskView | undefined): string {
  if (prompt?.kind !== 'question') return 'Starts a new run.';
  const { questions } = prompt.request;
  if (questions.length > 1) return `Answers the questions, one line each: 1) … 2) … ${NO_ANSWER}`;
  const how = questions.some(({ options }) => options.length > 0)
    ? 'a number, an option, or your own words'
    : 'in your own words';
  return `Answers “${summary(prompt.request)}”: ${how}. ${NO_ANSWER}`;
}

const NO_ANSWER = 'A comment leaves it open.';
