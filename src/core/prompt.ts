// Builds the chat item of an ask, with a text for people and a structure for renderers, and the audit item of its end.
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
import type { Question } from './question.ts';

export type PromptKind = 'text' | 'approval' | 'ask_user_question';
type PromptState = 'answered' | 'cancelled' | 'failed';

interface PromptQuestion {
  question: string;
  multiSelect: boolean;
  options: { label: string; description?: string }[];
}

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

export function pendingPrompt(ask: Prompted, mode: AskMode = 'blocking'): PromptItem {
  const prompt = {
    prompt_id: ask.id,
    kind: promptKind(ask),
    prompt_state: 'pending',
    questions: promptQuestions(ask),
    ...(ask.kind === 'approval' && { approval: action(ask.content) }),
  };
  return { text: promptText(ask, mode), metadata: { type: 'pending_prompt', prompt } };
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
  return ask.content.questions.map((q) => ({
    question: q.question,
    multiSelect: q.multi_select,
    options: q.options.map(({ label, description }) =>
      description === undefined ? { label } : { label, description },
    ),
  }));
}

/** The action, without the caller's own fields. */
function action({ tool_name, input, reason, scope, suggestions, diff, earlier }: ApprovalContent): ApprovalContent {
  const more = {
    ...(suggestions && { suggestions }),
    ...(diff !== undefined && { diff }),
    ...(earlier && { earlier }),
  };
  return { tool_name, input, reason, scope, ...more };
}

export function approvalQuestion(ask: Prompted & { kind: 'approval' }): string {
  const { tool_name, input } = ask.content;
  const action = typeof input.command === 'string' ? input.command : canonical(input);
  return `${tool_name}: ${action}`;
}

/** A form refuses a text, so the prompt asks for none. */
const FORM_HINT = 'Answer or cancel the form itself: in the web inbox, or with `holdpoint questions answer`.';

function promptText(ask: Prompted, mode: AskMode): string {
  if (ask.kind === 'approval') {
    const { reason, earlier } = ask.content;
    const why = [...(reason === '' ? [] : [reason]), ...(earlier ? [saidBefore(earlier)] : [])];
    const lines = ['❓ Approve?', approvalQuestion(ask), ...why, `  1. ${APPROVE}`, `  2. ${DENY}`];
    return [...lines, 'Reply with approve or deny. Anything else denies.'].join('\n');
  }
  const { questions, context } = ask.content;
  const opening = ['❓ Provide input:', ...(context ? [context] : [])];
  const [only] = questions;
  if (questions.length === 1 && only)
    return [...opening, only.question, ...optionLines(only), mode === 'form' ? FORM_HINT : replyHint(only)].join('\n');
  const numbered = questions.flatMap((q, i) => [`${i + 1}) ${q.question}`, ...optionLines(q)]);
  const hint = 'Reply with one line per question: 1) … 2) …, each a number, the option text, or free text.';
  return [...opening, ...numbered, mode === 'form' ? FORM_HINT : hint].join('\n');
}

const saidBefore = ({ behavior, answered_by }: EarlierDecision): string =>
  `Before the worker was lost, ${answered_by} ${behavior === 'allow' ? 'approved' : 'denied'} this. Decide again.`;

const optionLines = (question: Question): string[] =>
  question.options.map((o, i) => `  ${i + 1}. ${o.label}${o.description ? ` — ${o.description}` : ''}`);

function replyHint(question: Question): string {
  if (question.options.length === 0) return 'Reply with free text.';
  if (question.multi_select) return 'Reply with one or more numbers, the option text, or free text.';
  return 'Reply with a number, the option text, or free text.';
}

function promptAnswers(ask: Prompted, answer: Answer): { question: string; answer: string[] }[] {
  if (ask.kind === 'approval')
    return [{ question: approvalQuestion(ask), answer: [answer.behavior === 'allow' ? APPROVE : DENY] }];
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
    .map((given) => given.answer.join(', '))
    .join('; ');
  const isExplained = answer.behavior === 'deny' && answer.reason && answer.reason !== DEFAULT_DENIAL;
  const why = isExplained ? ` (${answer.reason})` : '';
  if (!loss) return `✓ Answered: ${answers}${why}`;
  return `✗ Answered: ${answers}${why}. The agent did not take it: ${inWords(loss.reason)}`;
}

function endedText(answer: Answer): string {
  const { outcome, reason, justification, answered_by } = answer;
  if (outcome === 'declined' && justification !== undefined) return `✗ Cancelled: declined (${justification})`;
  const how = outcome === 'failed' ? 'Failed' : 'Cancelled';
  if (outcome === 'cancelled' && reason === undefined && justification === undefined)
    return `✗ ${how} by ${answered_by}`;
  const why = reasonOf(answer);
  return `✗ ${how}: ${why === justification ? why : inWords(why)}`;
}

/** Texts for people, of reasons that programs compare. */
const WORDS = new Map([
  [WORKER_RESTART, 'the worker was lost'],
  [WITHDRAWN, 'the agent took it back'],
]);
const inWords = (reason: string): string => WORDS.get(reason) ?? reason;
