// Reads the answer to one question from the words of a command line: the options that they name, or text where the question has
// none. Text of the person's own beside options must be said with --text: a misspelt option is not an answer.
import type { QuestionAnswer } from '../core/answer.ts';
import type { UserQuestionRequest } from '../core/views.ts';
import { Failure } from './failure.ts';
import { readChoice } from './prompt/option-choice.ts';
import { oneLine } from './text/terminal-text.ts';

export interface PlainAnswer {
  words: readonly string[];
  text?: string | undefined;
}

export function plainAnswer({ questions }: UserQuestionRequest, { words, text }: PlainAnswer): QuestionAnswer[] {
  const [question] = questions;
  if (!question || questions.length > 1)
    throw new Failure(
      'usage',
      `this request asks ${questions.length} questions: answer with --interactive or --answers-json`,
    );
  const { id: question_id, options } = question;
  if (words.length === 0 && text !== undefined) return [{ question_id, freeform_answer: text }];
  if (options.length === 0) {
    if (text !== undefined) throw new Failure('usage', 'give the answer once: as words or with --text');
    return [{ question_id, freeform_answer: words.join(' ') }];
  }
  const choice = readChoice(question, words.join(words.length > 1 && question.multi_select ? ', ' : ' '));
  if ('refusal' in choice) {
    const labels = options.map(({ label }, i) => `${i + 1}  ${oneLine(label)}`);
    const own = question.allow_other ? ['To answer in your own words: --text "…"'] : [];
    throw new Failure('usage', choice.refusal, ...labels, ...own);
  }
  return [{ question_id, selected_option_ids: choice.ids, ...(text !== undefined && { freeform_answer: text }) }];
}
