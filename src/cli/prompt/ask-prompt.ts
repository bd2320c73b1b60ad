// Prompts the person at the terminal for the answer to one ask. Ctrl-C, Escape, the end of input and an answer given
// elsewhere all end the prompt without an answer. Text typed at a choice is never a choice: at an approval it begins the
// reason of a denial, at a question the person's own answer.
import type { Readable, Writable } from 'node:stream';
import { isCancel, multiselect, password, select, text, updateSettings } from '@clack/prompts';
import type { ApprovalResolution, QuestionAnswer, QuestionResolution } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../../core/views.ts';
import { isObject } from '../json-input.ts';
import { approvalTitle, suggestionsOf } from '../text/ask-text.ts';
import { withoutMarks } from '../text/markdown-text.ts';
import { plain } from '../text/spans.ts';
import { oneLine, prose } from '../text/terminal-text.ts';
import { choiceKeys } from './choice-keys.ts';

export interface Terminal {
  input: Readable;
  output: Writable;
  /** Ends the prompt without an answer. */
  signal: AbortSignal;
}

/** The prompt ended without an answer. */
const LEFT = Symbol('left');
type Maybe<T> = T | typeof LEFT;

const OTHER = '\u0000other';
const DECLINE = '\u0000decline';
const SKIP = '\u0000skip';
const SUGGESTED = '\u0000suggested ';

// Ctrl-D would otherwise end the input under a prompt that stays open.
updateSettings({ aliases: { '\u0004': 'cancel' } });

export async function promptApproval(request: ApprovalRequest, on: Terminal): Promise<ApprovalResolution | undefined> {
  const request_id = request.id;
  const suggestions = suggestionsOf(request);
  const { choice, typed } = await chosen(on, (own) =>
    select({
      ...own,
      message: plain(approvalTitle(request)),
      initialValue: 'deny',
      options: [
        { value: 'allow', label: 'Allow, this once' },
        ...(request.editable === false ? [] : [{ value: 'edit', label: 'Change it, then allow' }]),
        { value: 'deny', label: 'Deny', hint: 'or type the reason' },
        // Last, where no key that was meant for another option reaches them.
        ...suggestions.map(({ id, label }) => ({
          value: `${SUGGESTED}${id}`,
          label: `Allow, and also: ${oneLine(label)}`,
        })),
      ],
    }),
  );
  if (typed !== undefined) return denied(request_id, typed, on);
  if (choice === LEFT) return undefined;
  if (choice.startsWith(SUGGESTED))
    return { request_id, behavior: 'allow', suggestion_ids: [choice.slice(SUGGESTED.length)] };
  if (choice === 'allow') return { request_id, behavior: 'allow' };
  if (choice === 'edit') {
    const initialValue = asciiJson(request.input);
    const edited = await prompted(on, (own) =>
      text({ ...own, message: 'What may run instead? (JSON)', initialValue, validate: jsonProblem }),
    );
    if (edited === LEFT) return undefined;
    return { request_id, behavior: 'allow', updated_input: JSON.parse(edited) as Record<string, unknown> };
  }
  return denied(request_id, '', on);
}

async function denied(request_id: string, initialValue: string, on: Terminal): Promise<ApprovalResolution | undefined> {
  const reason = await prompted(on, (own) =>
    text({ ...own, message: 'Deny. Reason (sent to the agent):', placeholder: 'optional', initialValue }),
  );
  if (reason === LEFT) return undefined;
  return { request_id, behavior: 'deny', ...(reason?.trim() && { reason: reason.trim() }) };
}

export async function promptQuestions(
  request: UserQuestionRequest,
  on: Terminal,
): Promise<QuestionResolution | undefined> {
  const answers: QuestionAnswer[] = [];
  for (const question of request.questions) {
    const answer = await promptQuestion(question, on);
    if (answer === LEFT) return undefined;
    if (answer === DECLINE) return { request_id: request.id, declined: true };
    if (answer !== SKIP) answers.push({ question_id: question.id, ...answer });
  }
  return { request_id: request.id, answers };
}

type Given = Omit<QuestionAnswer, 'question_id'> | typeof DECLINE | typeof SKIP;

async function promptQuestion(question: Question, on: Terminal): Promise<Maybe<Given>> {
  if (question.options.length === 0) return promptText(question, on);
  const options = question.options.map(({ id, label, description }) => ({
    value: id,
    label: oneLine(label),
    ...(description && { hint: oneLine(description) }),
  }));
  if (question.multi_select) {
    const message = questionMessage(question);
    const { choice: picked } = await chosen(
      on,
      (own) => multiselect({ ...own, message, options, required: question.required }),
      { isMultiple: true },
    );
    if (picked === LEFT) return LEFT;
    return picked.length === 0 ? SKIP : { selected_option_ids: [...picked] };
  }
  const recommended = question.options.find((o) => o.recommended)?.id;
  const { choice: picked, typed } = await chosen(
    on,
    (own) =>
      select({
        ...own,
        message: questionMessage(question),
        ...(recommended !== undefined && { initialValue: recommended }),
        options: [
          ...options,
          ...(question.allow_other ? [{ value: OTHER, label: 'Something else…' }] : []),
          ...(question.required ? [] : [{ value: SKIP, label: 'Skip this question' }]),
          { value: DECLINE, label: 'Decline to answer' },
        ],
      }),
    { ignoresText: !question.allow_other || question.secret === true },
  );
  if (typed !== undefined || picked === OTHER) return promptText(question, on, typed);
  if (picked === LEFT || picked === SKIP || picked === DECLINE) return picked;
  return { selected_option_ids: [picked] };
}

async function promptText(question: Question, on: Terminal, initialValue = ''): Promise<Maybe<Given>> {
  const validate = (value: string | undefined) =>
    question.required && !value?.trim() ? 'An answer is required.' : undefined;
  const message = questionMessage(question);
  const typed = await prompted(on, (own) =>
    question.secret
      ? password({ ...own, message, validate })
      : text({ ...own, message, validate, initialValue, placeholder: oneLine(question.placeholder ?? '') }),
  );
  if (typed === LEFT) return LEFT;
  return typed?.trim() ? { freeform_answer: typed } : SKIP;
}

/** Without the marks of its Markdown, which a prompt shows as they are. */
const questionMessage = ({ question }: Question): string =>
  prose(question).split('\n').map(withoutMarks).join('\n').trimEnd();

/** Runs a choice prompt without letters. Typed text closes it, unless it is ignored; an Enter typed with it is not read. */
async function chosen<T>(
  on: Terminal,
  prompt: (own: Terminal) => Promise<T>,
  options: { isMultiple?: boolean; ignoresText?: boolean } = {},
): Promise<{ choice: Maybe<Exclude<T, symbol>>; typed?: string }> {
  const { isMultiple = false, ignoresText = isMultiple } = options;
  const close = new AbortController();
  let typed: string | undefined;
  const onText = (text: string) => {
    if (ignoresText) return;
    typed = (typed ?? '') + text;
    close.abort();
  };
  const keys = choiceKeys(on.input, onText, isMultiple);
  try {
    const signal = AbortSignal.any([on.signal, close.signal]);
    const choice = await prompted({ ...on, input: keys.input, signal }, prompt);
    return typed === undefined || on.signal.aborted ? { choice } : { choice, typed };
  } finally {
    keys.release();
  }
}

/**
 * Runs one prompt under a signal of its own. A prompt that was answered must not see the abort of its ask: it would reset
 * the terminal under the prompt that came next.
 */
async function prompted<T>(on: Terminal, prompt: (own: Terminal) => Promise<T>): Promise<Maybe<Exclude<T, symbol>>> {
  if (on.signal.aborted) return LEFT;
  const own = new AbortController();
  const close = () => own.abort();
  on.signal.addEventListener('abort', close, { once: true });
  on.input.once('end', close);
  try {
    const value = await prompt({ ...on, signal: own.signal });
    return isCancel(value) ? LEFT : (value as Exclude<T, symbol>);
  } finally {
    on.signal.removeEventListener('abort', close);
    on.input.off('end', close);
  }
}

/** JSON in which everything but ASCII is escaped, so that nothing can hide in the text field. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function jsonProblem(value: string | undefined): string | undefined {
  try {
    return isObject(JSON.parse(value ?? '')) ? undefined : 'A JSON object is required.';
  } catch {
    return 'This is not valid JSON.';
  }
}
