// Parses a plain text, typed into a chat, as the answer to the open prompt. Pure and total: every text has a result, and
// only the seven affirmative tokens approve.
import type { QuestionAnswer } from './answer.ts';
import type { Question } from './question.ts';

const AFFIRMATIVE = new Set(['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1']);
const NEGATIVE = new Set(['deny', 'denied', 'no', 'n', 'reject', '2']);

export interface ApprovalReply {
  behavior: 'allow' | 'deny';
  /** The text, where it was more than a plain no: the reason for the agent. */
  reason: string | undefined;
}

/** Anything that is not exactly an affirmative token denies. */
export function readApproval(text: string): ApprovalReply {
  const token = lowerAscii(text.trim());
  if (AFFIRMATIVE.has(token)) return { behavior: 'allow', reason: undefined };
  return { behavior: 'deny', reason: NEGATIVE.has(token) ? undefined : text.trim() };
}

/** One answer for each question. Never called with a blank text. */
export function readAnswers(questions: readonly Question[], text: string): QuestionAnswer[] {
  const whole = text.trim();
  const [only] = questions;
  if (questions.length === 1 && only) return [readOne(only, whole)];
  const lines = readLines(questions.length, whole);
  return questions.map((question, i) => {
    const line = lines?.[i];
    return line === undefined ? { question_id: question.id, freeform_answer: whole } : readOne(question, line);
  });
}

function readOne(question: Question, text: string): QuestionAnswer {
  const chosen = question.multi_select ? readNumbers(question, text) : readNumber(question, text);
  const byLabel = chosen ?? readLabel(question, text);
  if (byLabel) return { question_id: question.id, selected_option_ids: byLabel };
  return { question_id: question.id, freeform_answer: text };
}

function readNumber(question: Question, text: string): string[] | undefined {
  const option = /^[1-9][0-9]*$/.test(text) ? question.options[Number(text) - 1] : undefined;
  return option && [option.id];
}

/** Numbers separated by commas or white space; with anything else, or a number out of range, the text is no such list. */
function readNumbers(question: Question, text: string): string[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  const chosen = parts.map((part) => readNumber(question, part)?.[0]);
  if (chosen.length === 0 || chosen.includes(undefined)) return undefined;
  return [...new Set(chosen as string[])];
}

function readLabel(question: Question, text: string): string[] | undefined {
  const wanted = text.toLowerCase();
  const option = question.options.find((o) => o.label.trim().toLowerCase() === wanted);
  return option && [option.id];
}

/** `1) …`, `2) …`: one line for every question, each once and none empty; otherwise the text is not such a list. */
function readLines(count: number, text: string): string[] | undefined {
  const answers: (string | undefined)[] = new Array(count).fill(undefined);
  let last: number | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const numbered = /^\s*([1-9][0-9]*)\)(.*)$/s.exec(line);
    if (!numbered) {
      if (line.trim() === '') continue;
      if (last === undefined) return undefined;
      answers[last] = `${answers[last]}\n${line.trim()}`;
      continue;
    }
    last = Number(numbered[1]) - 1;
    const answer = numbered[2]?.trim() ?? '';
    if (last >= count || answers[last] !== undefined || answer === '') return undefined;
    answers[last] = answer;
  }
  return answers.includes(undefined) ? undefined : (answers as string[]);
}

/** ASCII only: letters of other alphabets that happen to fold onto a token are not that token. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
