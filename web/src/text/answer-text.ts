// Words what a card shows of an answer: what was given, why, by whom before, and who else has seen the ask. Pure; text only.
import { isQuestion } from '../../../src/client/action-summary.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { ApprovalRequest, AskView, SightingView } from '../../../src/core/views.ts';
import { isStopped, isWithdrawn, VERBS } from './ask-text.ts';
import { oneLine } from './visible.ts';

/** Everybody but `me`, by when they first saw it on any surface. */
export function seenByOthers({ seen_by = [] }: AskView, me: string | undefined): SightingView[] {
  const first = new Map<string, SightingView>();
  for (const sighting of seen_by) if (sighting.by !== me && !first.has(sighting.by)) first.set(sighting.by, sighting);
  return [...first.values()];
}

/** The answer to each question. A secret is only said to have been given. */
export function answersGiven({ request, answer }: AskView): { header: string; text: string }[] {
  if (!answer || !isQuestion(request)) return [];
  return (answer.answers ?? []).map((given) => {
    const question = request.questions.find(({ id }) => id === given.question_id);
    const labels = (given.selected_option_ids ?? []).map(
      (id) => question?.options.find((option) => option.id === id)?.label ?? id,
    );
    const text = given.secret ? '(secret)' : (given.freeform_answer ?? '');
    const header = question?.header ?? given.question_id;
    // The name that a question without one is given says nothing where it is alone.
    const isNamed = request.questions.length > 1 || !/^Question \d+$/.test(header);
    return { header: isNamed ? header : 'Answer', text: [...labels, ...(text ? [text] : [])].join(', ') };
  });
}

/** The reason, where a person wrote one. */
export function reasonOf(answer: AnswerView): string | undefined {
  const reason = answer.reason ?? answer.justification;
  return isWritten(reason) && !isWithdrawn(answer) && !isStopped(answer) && answer.outcome !== 'expired'
    ? reason
    : undefined;
}
const isWritten = (reason: string | undefined): reason is string =>
  reason !== undefined && reason !== 'approval denied';

/** Of an approval that was decided before and is asked again, because its worker was lost before the agent had the answer. */
export function earlierSentence({ behavior, answered_by, reason }: NonNullable<ApprovalRequest['earlier']>): string {
  const why = isWritten(reason) ? ` (${oneLine(reason)})` : '';
  return `Before its worker was lost, ${oneLine(answered_by)} ${VERBS[behavior].toLowerCase()} this${why}. Decide again.`;
}

/** An answer of a person that the agent does not have yet. What ended otherwise has none to wait for. */
export const isInDelivery = ({ answer, delivery }: AskView): boolean =>
  delivery.state === 'due' && (answer?.outcome === 'answered' || answer?.outcome === 'declined');

/** What an ask that expired means for the agent. */
export function expiredMeans({ kind, delivery, answer }: AskView): string | undefined {
  if (answer?.outcome !== 'expired') return undefined;
  const told = delivery.state === 'delivered' ? 'The agent was told that nobody answered.' : undefined;
  return kind === 'approval' ? `${told ?? 'Nobody answered.'} It counts as denied.` : told;
}
