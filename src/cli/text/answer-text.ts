// Renders how an ask ended for a terminal: one sentence, and the answers that were given.
import { inputSummary, isQuestion } from '../../client/action-summary.ts';
import type { AnswerView } from '../../client/inbox-feed.ts';
import { isWithdrawn } from '../../core/ask.ts';
import type { AskView } from '../../core/views.ts';
import { actionLines } from './ask-text.ts';
import { wrapAll } from './layout.ts';
import { type Line, line, span } from './spans.ts';
import { exact, oneLine } from './terminal-text.ts';

export const PAST_TENSE = { allow: 'allowed', deny: 'denied', answer: 'answered' } as const;

/** `denied by lead (web): too risky` */
export function endText(answer: AnswerView): string {
  const { outcome, behavior, reason, justification } = answer;
  if (isWithdrawn(answer)) return withReason('withdrawn by its agent', justification);
  if (outcome === 'expired') return 'expired before anyone answered';
  if (outcome === 'failed') return withReason('ended with its run', reason ?? justification);
  const how = outcome === 'answered' ? PAST_TENSE[behavior ?? 'answer'] : outcome;
  return withReason(`${changeText(answer)}${how} by ${answererText(answer)}`, reason ?? justification);
}

const changeText = ({ updated_input: changed }: AnswerView): string =>
  changed ? `changed to "${oneLine(exact(inputSummary(changed)))}" and ` : '';

/** A rule or a setting answers on no surface. */
const answererText = ({ answered_by, surface }: AnswerView): string =>
  surface === 'system' ? oneLine(answered_by) : `${oneLine(answered_by)} (${surface})`;

const withReason = (text: string, reason: string | undefined): string =>
  reason ? `${text}: ${oneLine(reason)}` : text;

/** The answers question by question, and the input that was allowed instead. */
export function answerLines(ask: AskView, width: number): Line[] {
  const { answer, request } = ask;
  if (!answer) return [];
  const given = (answer.answers ?? []).map((a) => {
    const asked = isQuestion(request) ? request.questions.find((q) => q.id === a.question_id) : undefined;
    const labels = (a.selected_option_ids ?? []).map((id) => asked?.options.find((o) => o.id === id)?.label ?? id);
    const text = a.secret ? '(secret)' : (a.freeform_answer ?? '');
    const said = [...labels, ...(text ? [text] : [])].join(', ');
    return line(span(`${oneLine(asked?.header ?? a.question_id)}: `, 'accent'), oneLine(said));
  });
  const changed = answer.updated_input
    ? [line(span('allowed instead', 'dim')), ...actionLines(answer.updated_input, width)]
    : [];
  return [...wrapAll(given, width, 2), ...changed];
}
