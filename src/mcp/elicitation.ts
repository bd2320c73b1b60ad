// Asking at the agent's own screen as well: a question set as the flat form that MCP elicitation has, and what came back
// as answers. Pure. An answer given there is judged like every other.
import type { ClientCapabilities, ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { checkAnswers, type QuestionAnswer } from '../core/answer.ts';
import type { Refusal } from '../core/errors.ts';
import { readAnswers } from '../core/form-answer.ts';
import type { Question } from '../core/question.ts';

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];

/** A client that names no way of eliciting means forms. */
export function speaksForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

const OTHER = ' (other)';
/** The first protocol with titled choices, lists and a `mode`; before it an enum had names beside it. */
const TITLED = '2025-11-25';
const isOlder = (protocol: string | undefined): boolean => protocol !== undefined && protocol < TITLED;

/** Whether such a form can ask it: no secret, and in an older protocol no list. */
export const fitsForm = (questions: readonly Question[], protocol: string | undefined): boolean =>
  !questions.some((q) => q.secret || (q.multi_select && isOlder(protocol)));

export function elicitationOf(questions: readonly Question[], protocol?: string): ElicitRequestFormParams {
  const properties: Properties = {};
  const required: string[] = [];
  for (const question of questions) {
    const isChoice = question.options.length > 0;
    properties[question.id] = isChoice ? choiceOf(question, protocol) : { type: 'string', title: question.question };
    if (isChoice && question.allow_other)
      properties[question.id + OTHER] = { type: 'string', title: 'Something else', description: question.question };
    else if (question.required) required.push(question.id);
  }
  return {
    ...(!isOlder(protocol) && { mode: 'form' as const }),
    message: questions.map((q) => q.question).join('\n'),
    requestedSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
  };
}

function choiceOf({ question, options, multi_select }: Question, protocol?: string): Properties[string] {
  if (isOlder(protocol)) {
    const [values, names] = [options.map(({ value }) => value), options.map(({ label }) => label)];
    return { type: 'string', title: question, enum: values, enumNames: names };
  }
  const choices = options.map(({ value, label }) => ({ const: value, title: label }));
  if (multi_select) return { type: 'array', title: question, items: { anyOf: choices } };
  return { type: 'string', title: question, oneOf: choices };
}

/** What was filled in there, or why it is no answer. */
export function elicitedAnswers(questions: readonly Question[], content: unknown): QuestionAnswer[] | Refusal {
  const given = new Map(Object.entries((content ?? {}) as Record<string, unknown>));
  const values: Record<string, unknown> = {};
  for (const { id } of questions) {
    const other = given.get(id + OTHER);
    const chosen = given.get(id);
    const all = [...(Array.isArray(chosen) ? chosen : [chosen]), other].filter((v) => v !== undefined && v !== '');
    if (all.length > 0) values[id] = all;
  }
  const answers = readAnswers(questions, values);
  if ('code' in answers) return answers;
  return checkAnswers(questions, { answers }) ?? answers;
}
