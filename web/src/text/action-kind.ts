// Tells what kind of thing a request is about, for its icon. Pure.
import { type AskRequest, isPlan, isQuestion } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';

export type ActionKind = 'question' | 'command' | 'edit' | 'plan' | 'read' | 'web' | 'tool';

/** Fields that name what a tool acts on, where one short text says it. */
export const NAMING_FIELDS = ['url', 'file_path', 'notebook_path', 'path', 'query', 'pattern'];

export const ASKS_FOR_SECRET = 'Asks for a secret';
/** No risk of an action, but marked like one. */
export const asksForSecret = (request: AskRequest): boolean =>
  isQuestion(request) && request.questions.some(({ secret }) => secret);

export function kindOf(request: AskRequest): ActionKind {
  if (isQuestion(request)) return 'question';
  if (isPlan(request)) return 'plan';
  const { input, diff } = request;
  if (typeof input.command === 'string') return 'command';
  if (diff !== undefined || fileChangeOf(input)) return 'edit';
  const key = NAMING_FIELDS.find((name) => typeof input[name] === 'string');
  if (key === 'url') return 'web';
  return key?.endsWith('path') ? 'read' : 'tool';
}
