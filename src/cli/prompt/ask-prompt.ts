// Asks the person at this terminal about one ask. Ctrl-C, Escape, the end of input and an answer given elsewhere all
// mean the same here: nothing was answered.
import type { Readable, Writable } from 'node:stream';
import { isCancel, multiselect, password, select, text, updateSettings } from '@clack/prompts';
import type { ApprovalResolution, QuestionAnswer, QuestionResolution } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../../core/views.ts';
import { suggestionsOf } from '../text/ask-text.ts';
import { oneLine, prose } from '../text/terminal-text.ts';

export interface Terminal {
  input: Readable;
  output: Writable;
  /** Takes the prompt away without an answer. */
  signal: AbortSignal;
}

/** The person gave no answer and left. */
const LEFT = Symbol('left');
type Maybe<T> = T | typeof LEFT;

const OTHER = '\u0000other';
const DECLINE = '\u0000decline';
const SKIP = '\u0000skip';
const SUGGESTED = '\u0000suggested ';

// Ctrl-D: otherwise it would end the input under a prompt that stays.
updateSettings({ aliases: { '\u0004': 'cancel' } });

export async function promptApproval(request: ApprovalRequest, on: Terminal): Promise<ApprovalResolution | undefined> {
  const request_id = request.id;
  const suggestions = suggestionsOf(request);
  const choice = await chosen(on, (own) =>
    select({
      ...own,
      message: `Allow ${oneLine(request.tool_name)}?`,
      initialValue: 'deny',
      options: [
        { value: 'allow', label: 'Allow, this once' },
        { value: 'edit', label: 'Change it, then allow' },
        { value: 'deny', label: 'Deny' },
        // Last, where no key that was meant for the others finds them.
        ...suggestions.map(({ id, label }) => ({
          value: `${SUGGESTED}${id}`,
          label: `Allow, and with it: ${oneLine(label)}`,
        })),
      ],
    }),
  );
  if (choice === LEFT) return undefined;
  if (choice.startsWith(SUGGESTED))
    return { request_id, behavior: 'allow', suggestion_ids: [choice.slice(SUGGESTED.length)] };
  if (choice === 'allow') return { request_id, behavior: 'allow' };
  if (choice === 'edit') {
    const initialValue = plainJson(request.input);
    const edited = await chosen(on, (own) =>
      text({ ...own, message: 'What may run instead? (JSON)', initialValue, validate: notJson }),
    );
    if (edited === LEFT) return undefined;
    return { request_id, behavior: 'allow', updated_input: JSON.parse(edited) as Record<string, unknown> };
  }
  const reason = await chosen(on, (own) =>
    text({ ...own, message: 'Why not? The agent is told.', placeholder: 'optional' }),
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
    const message = prose(question.question);
    const picked = await chosen(on, (own) => multiselect({ ...own, message, options, required: question.required }));
    if (picked === LEFT) return LEFT;
    return picked.length === 0 ? SKIP : { selected_option_ids: [...picked] };
  }
  const recommended = question.options.find((o) => o.recommended)?.id;
  const picked = await chosen(on, (own) =>
    select({
      ...own,
      message: prose(question.question),
      ...(recommended !== undefined && { initialValue: recommended }),
      options: [
        ...options,
        ...(question.allow_other ? [{ value: OTHER, label: 'Something else…' }] : []),
        ...(question.required ? [] : [{ value: SKIP, label: 'Skip this question' }]),
        { value: DECLINE, label: 'Decline to answer' },
      ],
    }),
  );
  if (picked === OTHER) return promptText(question, on);
  if (picked === LEFT || picked === SKIP || picked === DECLINE) return picked;
  return { selected_option_ids: [picked] };
}

async function promptText(question: Question, on: Terminal): Promise<Maybe<Given>> {
  const validate = (value: string | undefined) =>
    question.required && !value?.trim() ? 'An answer is needed.' : undefined;
  const message = prose(question.question);
  const typed = await chosen(on, (own) =>
    question.secret
      ? password({ ...own, message, validate })
      : text({ ...own, message, validate, placeholder: oneLine(question.placeholder ?? '') }),
  );
  if (typed === LEFT) return LEFT;
  return typed?.trim() ? { freeform_answer: typed } : SKIP;
}

/**
 * One prompt. Its signal is its own: a prompt that has been answered must not hear any more that the ask is over, else it
 * would switch the terminal back under the prompt that came next.
 */
async function chosen<T>(on: Terminal, prompt: (own: Terminal) => Promise<T>): Promise<Maybe<Exclude<T, symbol>>> {
  if (on.signal.aborted) return LEFT;
  const own = new AbortController();
  const takeAway = () => own.abort();
  on.signal.addEventListener('abort', takeAway, { once: true });
  on.input.once('end', takeAway);
  try {
    const value = await prompt({ ...on, signal: own.signal });
    return isCancel(value) ? LEFT : (value as Exclude<T, symbol>);
  } finally {
    on.signal.removeEventListener('abort', takeAway);
    on.input.off('end', takeAway);
  }
}

/** Nothing in it can hide: whatever is not plain ASCII is spelled out. */
const plainJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function notJson(value: string | undefined): string | undefined {
  try {
    const parsed: unknown = JSON.parse(value ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? undefined
      : 'A JSON object is needed.';
  } catch {
    return 'This is not valid JSON.';
  }
}
