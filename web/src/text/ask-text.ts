// Describes an ask in words: the line in lists, the sentence for how it ended, the answers that were given. Pure; text
// only. What an ask is about is summarised by client/action-summary.ts; this spells out hidden characters in it.
import { type AskRequest, actionSummary, isQuestion } from '../../../src/client/action-summary.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { ApprovalRequest, AskView, SightingView } from '../../../src/core/views.ts';
import { oneLine } from './visible.ts';

/** The tool, or how much is asked. */
export const heading = (request: AskRequest): string => oneLine(actionSummary(request).heading);

/** What is asked, on one line, without the name of the tool. */
export const summary = (request: AskRequest): string => oneLine(actionSummary(request).text);

/** Everybody but `me`, by when they first saw it on any surface. */
export function seenByOthers({ seen_by = [] }: AskView, me: string | undefined): SightingView[] {
  const first = new Map<string, SightingView>();
  for (const sighting of seen_by) if (sighting.by !== me && !first.has(sighting.by)) first.set(sighting.by, sighting);
  return [...first.values()];
}

const SURFACE_NAMES: Record<string, string> = {
  web: 'the web inbox',
  cli: 'the command line',
  thread: 'the thread',
  form: 'the form',
  api: 'the API',
  mcp: 'MCP',
  link: 'a notification',
};

const MAX_REASON_CHARACTERS = 400;

/** Of an answer that the agent did not receive and never will. */
export function undeliverableSentence(reason: string | undefined): string {
  if (reason === undefined) return 'the agent can no longer take it';
  const line = oneLine(reason);
  const isWhole = line.length <= MAX_REASON_CHARACTERS;
  return `the agent did not take it: ${isWhole ? line : `${line.slice(0, MAX_REASON_CHARACTERS)}…`}`;
}

type Ended = Pick<AnswerView, 'outcome' | 'behavior' | 'answered_by' | 'surface' | 'reason' | 'justification'>;

/** Answered at the agent's own prompt, or no longer needed. A person may write the same word as a reason. */
const isWithdrawn = ({ outcome, reason }: Ended): boolean => outcome === 'cancelled' && reason === 'withdrawn';

/** `Allowed by lead from the command line`. */
export function endSentence(answer: Ended): string {
  if (isWithdrawn(answer))
    return `Withdrawn by its agent: ${oneLine(answer.justification ?? 'it is not needed any more')}`;
  if (answer.outcome === 'expired') return 'Expired';
  if (answer.outcome === 'failed') return 'Ended with its run, which failed';
  const by = oneLine(answer.answered_by);
  const verb = answer.outcome === 'answered' ? VERBS[answer.behavior ?? 'answer'] : capitalised(answer.outcome);
  if (answer.surface === 'system') return `${verb} by ${by}`;
  return `${verb} by ${by} from ${SURFACE_NAMES[answer.surface] ?? answer.surface}`;
}

const VERBS = { allow: 'Allowed', deny: 'Denied', answer: 'Answered' } as const;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The answer to each question. A secret is only said to have been given. */
export function answersGiven({ request, answer }: AskView): { header: string; text: string }[] {
  if (!answer || !isQuestion(request)) return [];
  return (answer.answers ?? []).map((given) => {
    const question = request.questions.find(({ id }) => id === given.question_id);
    const labels = (given.selected_option_ids ?? []).map(
      (id) => question?.options.find((option) => option.id === id)?.label ?? id,
    );
    const text = given.secret ? '(secret)' : (given.freeform_answer ?? '');
    return { header: question?.header ?? given.question_id, text: [...labels, ...(text ? [text] : [])].join(', ') };
  });
}

/** The reason, where a person wrote one. */
export function reasonOf(answer: AnswerView): string | undefined {
  const reason = answer.reason ?? answer.justification;
  return isWritten(reason) && !isWithdrawn(answer) ? reason : undefined;
}
const isWritten = (reason: string | undefined): reason is string =>
  reason !== undefined && reason !== 'approval denied';

/** Of an approval that was decided before and is asked again, because its worker was lost before the agent had the answer. */
export function earlierSentence({ behavior, answered_by, reason }: NonNullable<ApprovalRequest['earlier']>): string {
  const why = isWritten(reason) ? ` (${oneLine(reason)})` : '';
  return `Before its worker was lost, ${oneLine(answered_by)} ${VERBS[behavior].toLowerCase()} this${why}. Decide again.`;
}
