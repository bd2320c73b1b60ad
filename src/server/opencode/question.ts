// Translates a question set into OpenCode's question request and its reply into answers. OpenCode knows no secret
// questions: a set with one is not shown by this door, and cannot be answered through it.
import { type QuestionAnswer, QuestionResolution } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import { truncate } from '../../core/text-limit.ts';
import type { QuestionAskView } from '../../core/views.ts';
import { badRequest } from './errors.ts';
import { requestIdOf, sessionIdOf } from './ids.ts';
import { visible } from './permission.ts';
import type { QuestionInfo, QuestionRequest } from './protocol.ts';

const HEADER_CHARACTERS = 30;

export const isShown = ({ request }: QuestionAskView): boolean => !request.questions.some(({ secret }) => secret);

export function questionOf({ ask_id, session_id, request }: QuestionAskView): QuestionRequest {
  const { questions, context, lineage = [] } = request;
  const asker = lineage.length > 0 ? [`Asked by ${lineage.join(' → ')}.`] : [];
  const opening = visible([...asker, ...(context ? [context] : [])].join('\n\n'));
  return {
    id: requestIdOf('que_', ask_id),
    sessionID: sessionIdOf(session_id),
    questions: questions.map((question, i) => infoOf(question, i === 0 ? opening : '')),
  };
}

function infoOf(question: Question, opening: string): QuestionInfo {
  const text = visible(question.question);
  return {
    question: opening === '' ? text : `${opening}\n\n${text}`,
    header: truncate(visible(question.header), HEADER_CHARACTERS),
    options: question.options.map((option) => ({ label: visible(option.label), description: aboutOption(option) })),
    multiple: question.multi_select,
    custom: question.allow_other,
  };
}

function aboutOption({ description, preview, recommended }: Question['options'][number]): string {
  const first = [...(recommended ? ['Recommended.'] : []), ...(description ? [description] : [])].join(' ');
  return visible([first, preview ?? ''].filter((text) => text !== '').join('\n\n'));
}

/** A text that is no label is an answer of its own, where the question takes one. */
export function resolutionOf({ ask_id, request }: QuestionAskView, given: string[][]): QuestionResolution {
  const { questions } = request;
  if (given.length > questions.length)
    throw badRequest(`Expected at most ${questions.length} answers, got ${given.length}\n  at ["answers"]`);
  const answers = questions.flatMap((question, i) => answerOf(question, given[i] ?? []));
  const resolution = QuestionResolution.safeParse({ request_id: ask_id, answers });
  if (!resolution.success) throw badRequest(resolution.error.issues[0]?.message ?? 'Invalid answers');
  return resolution.data;
}

function answerOf({ id, options, multi_select }: Question, given: string[]): QuestionAnswer[] {
  const texts = given.filter((text) => text.trim() !== '');
  if (texts.length === 0) return [];
  if (texts.length > 1 && !multi_select) throw badRequest(`Expected one answer, got ${texts.length}\n  at ["answers"]`);
  const optionsOf = (text: string) => options.filter(({ label }) => visible(label) === text).map((option) => option.id);
  const unclear = texts.find((text) => optionsOf(text).length > 1);
  if (unclear !== undefined) throw badRequest(`Several options read ${JSON.stringify(unclear)}\n  at ["answers"]`);
  const chosen = texts.flatMap(optionsOf);
  const typed = texts.filter((text) => optionsOf(text).length === 0);
  return [
    {
      question_id: id,
      ...(chosen.length > 0 && { selected_option_ids: chosen }),
      ...(typed.length > 0 && { freeform_answer: typed.join(', ') }),
    },
  ];
}

/** The labels and texts of an answered set, in the order of its questions; nothing for one that was left out. */
export function answersOf({ request, answer }: QuestionAskView): string[][] {
  return request.questions.map(({ id, options }) => {
    const given = answer?.answers?.find(({ question_id }) => question_id === id);
    const labels = (given?.selected_option_ids ?? []).map((one) => options.find((o) => o.id === one)?.label ?? one);
    return given?.freeform_answer === undefined ? labels : [...labels, given.freeform_answer];
  });
}
