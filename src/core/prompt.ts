// Builds the chat item of an ask, with a text for people and a structure for renderers, and the audit item of its end. In
// the text every hidden character is spelled out, and no text of an agent can look like a line of the prompt itself.
import { DEFAULT_DENIAL } from './answer.ts';
import {
  type Answer,
  type ApprovalContent,
  type AskMode,
  type EarlierDecision,
  type QuestionContent,
  WITHDRAWN,
  WORKER_RESTART,
} from './ask.ts';
import { canonical } from './digest.ts';
import { exactSegments, spelledOut } from './hidden-characters.ts';
import { defaultHeader, type Question } from './question.ts';
import { writtenPath } from './written-file.ts';

export type PromptKind = 'text' | 'approval' | 'ask_user_question';
type PromptState = 'answered' | 'cancelled' | 'failed';

/** The documented shape, and whatever else the question has that a renderer needs. */
type PromptQuestion = Partial<
  Pick<Question, 'header' | 'placeholder' | 'default' | 'secret' | 'required' | 'allow_other'>
> & {
  question: string;
  multiSelect: boolean;
  options: Partial<Omit<Question['options'][number], 'id' | 'value'>>[];
};

/** The part of an ask that a prompt shows. */
export type Prompted = { id: string } & (
  | { kind: 'approval'; content: ApprovalContent }
  | { kind: 'question'; content: QuestionContent }
);

export interface PromptItem {
  text: string;
  metadata: { type: string; prompt: Record<string, unknown> };
}

export function promptKind(ask: Prompted): PromptKind {
  if (ask.kind === 'approval') return 'approval';
  const [only] = ask.content.questions;
  return ask.content.questions.length === 1 && only?.options.length === 0 ? 'text' : 'ask_user_question';
}

export function pendingPrompt(ask: Prompted, mode: AskMode = 'blocking', workFolder?: string): PromptItem {
  const prompt = {
    prompt_id: ask.id,
    kind: promptKind(ask),
    prompt_state: 'pending',
    questions: promptQuestions(ask),
    ...(ask.kind === 'approval' && { approval: action(ask.content, workFolder) }),
  };
  return { text: promptText(ask, mode, workFolder), metadata: { type: 'pending_prompt', prompt } };
}

/** Why an answer was not delivered, and how the prompt ended. */
export interface Loss {
  state: 'cancelled' | 'failed';
  reason: string;
}

/** The resolution. `declined` and `expired` show as cancelled, with that as the reason; a lost answer with both. */
export function resolvedPrompt(ask: Prompted, answer: Answer, loss?: Loss): PromptItem {
  const state = loss?.state ?? promptState(answer);
  const prompt = {
    prompt_id: ask.id,
    kind: promptKind(ask),
    prompt_state: state,
    answers: answer.outcome === 'answered' ? promptAnswers(ask, answer) : [],
    reason: loss?.reason ?? (state === 'answered' ? null : reasonOf(answer)),
  };
  const text = answer.outcome === 'answered' ? answeredText(ask, answer, loss) : endedText(answer);
  return { text, metadata: { type: 'pending_prompt_resolved', prompt } };
}

export function promptState({ outcome }: Answer): PromptState {
  if (outcome === 'answered') return 'answered';
  return outcome === 'failed' ? 'failed' : 'cancelled';
}

function reasonOf({ outcome, reason, justification, answered_by }: Answer): string {
  if (outcome === 'declined' || outcome === 'expired') return outcome;
  return justification ?? reason ?? `${outcome} by ${answered_by}`;
}

export const APPROVE = 'Approve';
export const DENY = 'Deny';

function promptQuestions(ask: Prompted): PromptQuestion[] {
  if (ask.kind === 'approval')
    return [{ question: approvalQuestion(ask), multiSelect: false, options: [{ label: APPROVE }, { label: DENY }] }];
  return ask.content.questions.map(
    ({ id: _, header, question, multi_select, options, required, allow_other, ...more }, i) => ({
      ...(header !== defaultHeader(i) && { header }),
      question,
      multiSelect: multi_select,
      options: options.map(({ id: __, value: ___, ...option }) => option),
      ...more,
      ...(!required && { required }),
      ...(!allow_other && { allow_other }),
    }),
  );
}

/** The action, without the caller's own fields. */
function action(content: ApprovalContent, workFolder: string | undefined): ApprovalContent {
  const { tool_name, input, reason, scope, suggestions, diff, earlier, work_folder = workFolder, lineage } = content;
  const more = {
    ...(work_folder !== undefined && { work_folder }),
    ...(lineage && { lineage }),
    ...(suggestions && { suggestions }),
    ...(diff !== undefined && { diff }),
    ...(earlier && { earlier }),
  };
  return { tool_name, input, reason, scope, ...more };
}

export function approvalQuestion(ask: Prompted & { kind: 'approval' }): string {
  const { tool_name, input } = ask.content;
  return `${tool_name}: ${actionText(input)}`;
}

const actionText = (input: Record<string, unknown>): string =>
  typeof input.command === 'string' ? input.command : canonical(input);

/** A form refuses a text, so the prompt asks for none. */
const FORM_HINT = 'Answer or cancel the form itself: in the web inbox, or with `holdpoint questions answer`.';

function promptText(ask: Prompted, mode: AskMode, workFolder: string | undefined): string {
  const { lineage = [] } = ask.content;
  const asker = lineage.length > 0 ? [`Asked by ${lineage.map(oneLine).join(' → ')}.`] : [];
  if (ask.kind === 'approval') {
    const { reason, earlier, input, diff, files = [], work_folder: folder = workFolder } = ask.content;
    const { command: _, ...others } = input;
    const hasMore = typeof input.command === 'string' && Object.keys(others).length > 0;
    const lines = [
      '❓ Approve?',
      block(approvalQuestion(ask)),
      ...(hasMore ? [block(`with ${canonical(others)}`)] : []),
      ...(folder === undefined ? [] : [`in ${oneLine(folder)}`]),
      ...asker,
      ...(diff === undefined ? [] : [block(`changes:\n${diff}`)]),
      ...files.flatMap(({ path, text }) =>
        text === undefined
          ? []
          : [block(`${writtenPath(input, folder) === path ? 'replaces' : 'runs'} ${path}:\n${text.trimEnd()}`)],
      ),
      ...(reason === '' ? [] : [block(reason)]),
      ...(earlier ? [saidBefore(earlier)] : []),
      `  1. ${APPROVE}`,
      `  2. ${DENY}`,
    ];
    return [...lines, 'Reply with approve or deny. Anything else denies.'].join('\n');
  }
  const { questions, context } = ask.content;
  const opening = ['❓ Provide input:', ...(context ? [block(context)] : [])];
  const [only] = questions;
  if (questions.length === 1 && only) {
    const hint = mode === 'form' ? FORM_HINT : replyHint(only);
    return [...opening, block(only.question), ...optionLines(only), ...asker, hint].join('\n');
  }
  const numbered = questions.flatMap((q, i) => [`${i + 1}) ${block(q.question)}`, ...optionLines(q)]);
  const several = questions.some((q) => q.multi_select) ? ' (several where more than one may be chosen)' : '';
  const hint = `Reply with one line per question: 1) … 2) …, each a number${several}, the option text, or free text.`;
  return [...opening, ...numbered, ...asker, mode === 'form' ? FORM_HINT : hint].join('\n');
}

const visible = (text: string): string => spelledOut(exactSegments(text)).replaceAll('\t', '  ');
/** Lines after the first are marked: a line of the prompt never begins like that. */
const block = (text: string): string => visible(text.replace(/\r\n?/g, '\n')).replaceAll('\n', '\n  │ ');
const oneLine = (text: string): string => visible(text.replace(/\s+/g, ' ')).trim();

const saidBefore = ({ behavior, answered_by }: EarlierDecision): string =>
  `Before the worker was lost, ${answered_by} ${behavior === 'allow' ? 'approved' : 'denied'} this. Decide again.`;

const optionLines = (question: Question): string[] =>
  question.options.map(
    (o, i) =>
      `  ${i + 1}. ${oneLine(o.label)}${o.recommended ? ' (recommended)' : ''}${o.description ? ` — ${oneLine(o.description)}` : ''}`,
  );

function replyHint(question: Question): string {
  if (question.options.length === 0) return 'Reply with free text.';
  if (question.multi_select) return 'Reply with one or more numbers, the option text, or free text.';
  return 'Reply with a number, the option text, or free text.';
}

interface PromptAnswer {
  question: string;
  answer: string[];
  /** The input that the person put in place of the agent's. */
  allowed_instead?: Record<string, unknown>;
}

function promptAnswers(ask: Prompted, answer: Answer): PromptAnswer[] {
  if (ask.kind === 'approval')
    return [
      {
        question: approvalQuestion(ask),
        answer: [answer.behavior === 'allow' ? APPROVE : DENY],
        ...(answer.updated_input && { allowed_instead: answer.updated_input }),
      },
    ];
  return ask.content.questions.flatMap((question) => {
    const given = answer.answers?.find((a) => a.question_id === question.id);
    if (!given) return [];
    if (question.secret) return [{ question: question.question, answer: ['(secret)'] }];
    const labels = (given.selected_option_ids ?? []).map(
      (id) => question.options.find((o) => o.id === id)?.label ?? id,
    );
    const typed = given.freeform_answer;
    return [{ question: question.question, answer: typed === undefined ? labels : [...labels, typed] }];
  });
}

function answeredText(ask: Prompted, answer: Answer, loss: Loss | undefined): string {
  const answers = promptAnswers(ask, answer)
    .map(({ answer: labels }) => labels.map((label) => listed(label, labels.length)).join(', '))
    .join('; ');
  const edited = answer.updated_input;
  const instead = ask.kind === 'approval' && edited ? `, changed to ${oneLine(actionText(edited))}` : '';
  const isExplained = answer.behavior === 'deny' && answer.reason && answer.reason !== DEFAULT_DENIAL;
  const why = isExplained ? ` (${answer.reason})` : instead;
  if (!loss) return `✓ Answered: ${answers}${why}`;
  return `✗ Answered: ${answers}${why}. The agent did not take it: ${inWords(loss.reason)}`;
}

/** A label with a comma is quoted where the comma could be taken for the next label. */
const listed = (label: string, count: number): string =>
  count > 1 && label.includes(',') ? `"${oneLine(label)}"` : oneLine(label);

function endedText(answer: Answer): string {
  const { outcome, reason, justification, answered_by } = answer;
  if (outcome === 'declined' && justification !== undefined) return `✗ Cancelled: declined (${justification})`;
  const how = outcome === 'failed' ? 'Failed' : 'Cancelled';
  if (outcome === 'cancelled' && reason === undefined && justification === undefined)
    return `✗ ${how} by ${answered_by}`;
  const why = reasonOf(answer);
  if (outcome === 'cancelled' && why.startsWith('cancelled by ')) return `✗ C${why.slice(1)}`;
  return `✗ ${how}: ${why === justification ? why : inWords(why)}`;
}

/** Texts for people, of reasons that programs compare. */
const WORDS = new Map([
  [WORKER_RESTART, 'the worker was lost'],
  [WITHDRAWN, 'the agent took it back'],
]);
const inWords = (reason: string): string => WORDS.get(reason) ?? reason;
