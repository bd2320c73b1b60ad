// Sends what a test says in the name of a person. Labels of options become their ids; a reply that does not fit the request is
// an error of the test, with what would fit.
import { isQuestion } from '../client/action-summary.ts';
import type { Client } from '../client/client.ts';
import type { QuestionAnswer } from '../core/answer.ts';
import type { AskView, UserQuestionRequest } from '../core/views.ts';

/** One or several labels, or text of one's own; of several questions: by the id of the question. */
export type Said = string | readonly string[];
export type Reply =
  | { answer: Said | Readonly<Record<string, Said>> }
  | { decline: string }
  | { allow: true; input?: Record<string, unknown> | undefined }
  | { deny: string };

export async function sendReply({ questions, approvals }: Client, ask: AskView, reply: Reply): Promise<void> {
  const { ask_id: request_id, run_id, request } = ask;
  if (isQuestion(request)) {
    if ('decline' in reply) {
      const resolution = { request_id, declined: true as const, justification: reply.decline };
      await questions.answerRun(run_id, { resolution });
    } else if ('answer' in reply)
      await questions.answerRun(run_id, { resolution: { request_id, answers: answersOf(request, reply.answer) } });
    else throw new Error(`${request_id} is a question: reply with { answer } or { decline }.`);
    return;
  }
  const decision = decisionOf(reply);
  if (!decision) throw new Error(`${request_id} is an approval: reply with { allow: true } or { deny }.`);
  await approvals.decideRun(run_id, { resolutions: [{ request_id, ...decision }] });
}

function decisionOf(reply: Reply) {
  if ('deny' in reply) return { behavior: 'deny' as const, reason: reply.deny };
  if (!('allow' in reply)) return undefined;
  return { behavior: 'allow' as const, ...(reply.input && { updated_input: reply.input }) };
}

function answersOf(
  { questions }: UserQuestionRequest,
  answer: Said | Readonly<Record<string, Said>>,
): QuestionAnswer[] {
  const isPlain = typeof answer === 'string' || Array.isArray(answer);
  const [first] = questions;
  if (isPlain && questions.length > 1)
    throw new Error(`It asks several questions; answer by their ids: ${questions.map(({ id }) => id).join(', ')}.`);
  const said = isPlain && first ? { [first.id]: answer } : answer;
  return Object.entries(said).map(([question_id, words]) => {
    const options = questions.find(({ id }) => id === question_id)?.options ?? [];
    const chosen = [words].flat().map((word) => options.find((o) => [o.id, o.label, o.value].includes(word))?.id);
    const isChosen = chosen.every((id) => id !== undefined);
    return isChosen
      ? { question_id, selected_option_ids: chosen }
      : { question_id, freeform_answer: [words].flat().join(', ') };
  });
}
