// Writes the answer to an expired question as the task of a new run. Pure.
import type { QuestionAnswer } from '../../../src/core/answer.ts';
import type { Question } from '../../../src/core/question.ts';

interface Asked {
  question: string;
}

type Given = Pick<QuestionAnswer, 'question_id' | 'selected_option_ids' | 'freeform_answer'>;

/** What a draft had chosen and typed, as text; of several questions with the name of each. */
export function draftText(questions: readonly Question[], answers: readonly Given[]): string {
  const lines = questions.flatMap(({ id, header, options }) => {
    const given = answers.find(({ question_id }) => question_id === id);
    const chosen = options.filter((option) => given?.selected_option_ids?.includes(option.id));
    const text = [...chosen.map(({ label }) => label), given?.freeform_answer?.trim() ?? ''].filter(Boolean).join(', ');
    return text === '' ? [] : [questions.length > 1 ? `${header}: ${text}` : text];
  });
  return lines.join('\n');
}

export function lateAnswerText(questions: readonly Asked[], answer: string): string {
  const asked = questions.map(({ question }) => `“${question}”`).join('\n');
  return `You asked:\n${asked}\n\nThat expired before it was answered. The answer is:\n${answer}\n\nGo on with it.`;
}
