// Prompts for the answers to a question set line by line: numbered options, then an optional line of free text. Invalid
// input is asked again with the reason. An empty line is an answer only where a default was shown.
import type { QuestionAnswer } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import type { UserQuestionRequest } from '../../core/views.ts';
import { contextLines, optionLines, questionHead } from '../text/question-text.ts';
import { type Line, line, type Paint, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { LineReader } from './line-reader.ts';
import { readChoice } from './option-choice.ts';

interface LinePrompt {
  reader: LineReader;
  paint: Paint;
  width: number;
  /** Called when the last question is on the screen. */
  onShown?(): void;
}

type Given = Omit<QuestionAnswer, 'question_id'>;

export async function promptForAnswers(request: UserQuestionRequest, prompt: LinePrompt): Promise<QuestionAnswer[]> {
  const answers: QuestionAnswer[] = [];
  const { length } = request.questions;
  show(prompt, contextLines(request, prompt.width));
  for (const [i, question] of request.questions.entries()) {
    const position = length > 1 ? `${i + 1} of ${length}` : '';
    show(prompt, [[], ...questionHead(question, position, prompt.width)]);
    show(
      prompt,
      question.options.flatMap((_, n) => optionLines(question, n, prompt.width)),
    );
    if (i === length - 1) prompt.onShown?.();
    const given = await answerOne(question, prompt);
    if (given) answers.push({ question_id: question.id, ...given });
  }
  return answers;
}

/** Repeats until there is an answer, or an optional question is skipped. */
async function answerOne(question: Question, prompt: LinePrompt): Promise<Given | undefined> {
  for (;;) {
    const chosen = question.options.length > 0 ? await chooseFrom(question, prompt) : [];
    if (typeof chosen === 'string') return { freeform_answer: chosen };
    const ids = chosen;
    const text = question.allow_other ? await freeText(question, prompt, ids.length > 0) : '';
    if (ids.length > 0 || text !== '')
      return {
        ...(ids.length > 0 && { selected_option_ids: ids }),
        ...(text !== '' && { freeform_answer: text }),
      };
    if (!question.required) return undefined;
    warn(prompt, question.options.length > 0 ? 'An option or some text is required.' : 'Some text is required.');
  }
}

/** Option ids, or a text of the person's own: one that names no option is sent only when it is confirmed. */
async function chooseFrom(question: Question, prompt: LinePrompt): Promise<string[] | string> {
  const preset = presetOf(question);
  const shown = preset.length > 0 ? ` [${preset.map((n) => n + 1).join(', ')}]` : '';
  const own = question.allow_other ? ', or type your own answer' : '';
  const text = `${question.multi_select ? 'Choose one or more' : 'Choose one'} (number, id or label)${own}${shown}: `;
  let unconfirmed: string | undefined;
  for (;;) {
    const typed = await prompt.reader.ask(unconfirmed === undefined ? text : CONFIRM);
    if (typed.trim() === '' && unconfirmed !== undefined) return unconfirmed;
    unconfirmed = undefined;
    if (typed.trim() === '' && preset.length > 0) return preset.map((n) => question.options[n]?.id ?? '');
    const choice = readChoice(question, typed);
    if ('refusal' in choice) {
      warn(prompt, choice.refusal);
      if (choice.isUnknown && question.allow_other) unconfirmed = typed.trim();
      continue;
    }
    if (choice.ids.length > 0 || question.allow_other || !question.required) return choice.ids;
    warn(prompt, 'One of the options is required.');
  }
}

const CONFIRM = 'Enter to send it as your own answer, or choose again: ';

/** The indexes of the options that the question declares as its default. */
function presetOf(question: Question): number[] {
  const values = [question.default ?? []].flat();
  return question.options.flatMap((o, n) => (values.includes(o.value) || values.includes(o.id) ? [n] : []));
}

async function freeText(question: Question, { reader }: LinePrompt, hasChosen: boolean): Promise<string> {
  const hasOptions = question.options.length > 0;
  const preset = hasOptions || typeof question.default !== 'string' ? '' : question.default;
  const hint = preset === '' ? '' : ` [${oneLine(preset)}]`;
  const isOptional = hasChosen || !question.required;
  const what = hasOptions ? 'Anything to add' : 'Your answer';
  const example = question.placeholder && !hasOptions ? `, such as: ${oneLine(question.placeholder)}` : '';
  const note = [isOptional && 'optional', question.secret && 'not shown'].filter(Boolean).join(', ');
  const prompt = `${what}${note ? ` (${note}${example})` : example}${hint}: `;
  const typed = await reader.ask(prompt, { secret: question.secret === true });
  return typed.trim() === '' ? preset : question.secret ? typed : typed.trim();
}

const show = ({ reader, paint }: LinePrompt, lines: readonly Line[]): void => {
  for (const of of lines) reader.show(paint(of));
};

const warn = (prompt: LinePrompt, text: string): void => show(prompt, [line(span(text, 'warn'))]);
