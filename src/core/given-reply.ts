// Converts structured replies, `[{question, answer: [labels]}]`, to an answer of the ask. A label outside the options is
// free text, and only the exact word "Approve" approves.
import type { QuestionAnswer } from './answer.ts';
import type { GivenAnswer } from './bodies.ts';
import { type Refusal, refuse } from './errors.ts';
import { APPROVE, DENY } from './prompt.ts';
import type { Question } from './question.ts';
import type { ApprovalReply } from './reply.ts';

export function givenApproval(shown: string, given: readonly GivenAnswer[]): ApprovalReply | Refusal {
  const foreign = given.find(({ question }) => question !== undefined && question !== shown);
  if (foreign) return unknown(foreign.question, [shown]);
  const [only] = given;
  if (given.length === 1 && only?.answer.length === 1 && only.answer[0] === APPROVE)
    return { behavior: 'allow', reason: undefined };
  const words = given.flatMap(({ answer }) => answer).filter((word) => word !== DENY && word.trim() !== '');
  return { behavior: 'deny', reason: words.join(', ') || undefined };
}

/** Questions are matched by their text; of two with the same text, the first answer is for the first. */
export function givenAnswers(
  questions: readonly Question[],
  given: readonly GivenAnswer[],
): QuestionAnswer[] | Refusal {
  const open = [...questions];
  const answers: QuestionAnswer[] = [];
  for (const { question: text, answer } of given) {
    const place = open.findIndex((q) => q.question === text || (text === undefined && questions.length === 1));
    const [question] = place < 0 ? [] : open.splice(place, 1);
    if (!question)
      return unknown(
        text,
        open.map((q) => q.question),
      );
    answers.push(asGiven(question, answer));
  }
  return answers;
}

function asGiven(question: Question, labels: readonly string[]): QuestionAnswer {
  const optionOf = (label: string) => question.options.find((o) => o.label === label);
  const chosen = labels.flatMap((label) => optionOf(label)?.id ?? []);
  const typed = labels.filter((label) => !optionOf(label));
  return {
    question_id: question.id,
    ...(chosen.length > 0 && { selected_option_ids: chosen }),
    ...(typed.length > 0 && { freeform_answer: typed.join('\n') }),
  };
}

const unknown = (text: string | undefined, asked: readonly string[]): Refusal =>
  refuse(
    'question_unknown_answer',
    `The prompt does not ask ${text === undefined ? 'without a question text' : `"${text}"`}. Still open: ${asked.map((q) => `"${q}"`).join(', ') || 'nothing'}.`,
  );
