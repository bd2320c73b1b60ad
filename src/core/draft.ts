// Defines drafts: text that a person has typed and not sent, kept across reloads, devices and the end of the ask. Owns the
// shape and what it must not hold: the value of a secret is never stored, not even half-typed.
import { z } from 'zod';
import type { Ask } from './ask.ts';
import { type Refusal, refuse } from './errors.ts';

const text = z.string().max(100_000);

export const DraftContent = z.strictObject({
  answers: z
    .array(
      z.strictObject({
        question_id: z.string().min(1).max(256),
        selected_option_ids: z.array(z.string().max(256)).max(50).optional(),
        freeform_answer: text.optional(),
      }),
    )
    .max(20)
    .optional(),
  justification: text.optional(),
  /** Why it is denied. */
  reason: text.optional(),
  /** The edited input of an approval as typed: it need not be valid yet. */
  updated_input: text.optional(),
});
export type DraftContent = z.infer<typeof DraftContent>;

/** As JSON. */
const LARGEST_DRAFT = 256 * 1024;
export const DRAFT_TTL_MS = 90 * 24 * 60 * 60_000;

export interface Draft {
  askId: string;
  /** Counts the saves of its author; the last one wins. */
  revision: number;
  content: DraftContent;
  savedAt: number;
  /** The person, by id. */
  savedBy: string;
}

/** A draft is spent once its own author has answered; drafts of other people stay. */
export const isSpent = (ask: Ask, author: string): boolean =>
  (ask.status === 'answered' || ask.status === 'declined') && ask.answer.answered_by === author;

export function draftRefusal(ask: Ask, content: DraftContent, author: string): Refusal | undefined {
  if (isSpent(ask, author))
    return refuse('ask_state_conflict', 'You have answered this ask; nothing is drafted any more.');
  const size = JSON.stringify(content).length;
  if (size > LARGEST_DRAFT)
    return refuse('body_too_large', `A draft has at most ${LARGEST_DRAFT} characters as JSON, not ${size}.`);
  const questions = ask.kind === 'question' ? ask.content.questions : [];
  for (const answer of content.answers ?? []) {
    const question = questions.find(({ id }) => id === answer.question_id);
    if (!question) return refuse('question_unknown_answer', `This ask has no question "${answer.question_id}".`);
    if (question.secret)
      return refuse(
        'secret_not_drafted',
        `"${question.id}" is secret: what is typed there is never kept. Leave it out.`,
      );
  }
  return undefined;
}
