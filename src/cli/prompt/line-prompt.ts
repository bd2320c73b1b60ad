// Answers a question set line by line: options numbered, wrong input asked again with the reason, then an optional line
// of free text. Decides nothing by itself: an empty line is an answer only where a default was shown.
import type { QuestionAnswer } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import type { UserQuestionRequest } from '../../core/views.ts';
import { contextLines, optionLines, questionHead } from '../text/ask-text.ts';
import { type Line, line, type Paint, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { LineReader } from './line-reader.ts';
import { readChoice } from './option-choice.ts';

interface Asking {
  reader: LineReader;
  paint: Paint;
  width: number;
  /** The last question is on the screen, and so everything was. */
  onShown?(): void;
}

type Given = Omit<QuestionAnswer, 'question_id'>;

export async function answerInteractively(request: UserQuestionRequest, asking: Asking): Promise<QuestionAnswer[]> {
  const answers: QuestionAnswer[] = [];
  const { length } = request.questions;
  show(asking, contextLines(request, asking.width));
  for (const [i, question] of request.questions.entries()) {
    const place = length > 1 ? `${i + 1} of ${length}` : '';
    show(asking, [[], ...questionHead(question, place, asking.width)]);
    show(
      asking,
      question.options.flatMap((_, n) => optionLines(question, n, asking.width)),
    );
    if (i === length - 1) asking.onShown?.();
    const given = await answerOne(question, asking);
    if (given) answers.push({ question_id: question.id, ...given });
  }
  return answers;
}

/** Until there is an answer, or the question is optional and left out. */
async function answerOne(question: Question, asking: Asking): Promise<Given | undefined> {
  for (;;) {
    const ids = question.options.length > 0 ? await chooseFrom(question, asking) : [];
    const text = question.allow_other ? await freeText(question, asking, ids.length > 0) : '';
    if (ids.length > 0 || text !== '')
      return {
        ...(ids.length > 0 && { selected_option_ids: ids }),
        ...(text !== '' && { freeform_answer: text }),
      };
    if (!question.required) return undefined;
    complain(asking, question.options.length > 0 ? 'An option or some text is needed.' : 'Some text is needed.');
  }
}

async function chooseFrom(question: Question, asking: Asking): Promise<string[]> {
  const preset = presetOf(question);
  for (;;) {
    const shown = preset.length > 0 ? ` [${preset.map((n) => n + 1).join(', ')}]` : '';
    const prompt = `${question.multi_select ? 'Choose one or more' : 'Choose one'} (number, id or label)${shown}: `;
    const typed = await asking.reader.ask(prompt);
    if (typed.trim() === '' && preset.length > 0) return preset.map((n) => question.options[n]?.id ?? '');
    const choice = readChoice(question, typed);
    if ('refusal' in choice) {
      complain(asking, choice.refusal);
      continue;
    }
    if (choice.ids.length > 0 || question.allow_other || !question.required) return choice.ids;
    complain(asking, 'One of the options is needed.');
  }
}

/** The options that the question itself names as its default. */
function presetOf(question: Question): number[] {
  const values = [question.default ?? []].flat();
  return question.options.flatMap((o, n) => (values.includes(o.value) || values.includes(o.id) ? [n] : []));
}

async function freeText(question: Question, { reader }: Asking, hasChosen: boolean): Promise<string> {
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

const show = ({ reader, paint }: Asking, lines: readonly Line[]): void => {
  for (const of of lines) reader.show(paint(of));
};

const complain = (asking: Asking, text: string): void => show(asking, [line(span(text, 'warn'))]);
