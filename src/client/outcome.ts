// Converts the end of an ask into the outcome that the asking program gets. Every end has its own name; only a person's
// (or a setting's) explicit allow makes an approval `allowed`.
import type { AskView, QuestionAskView } from '../core/views.ts';

interface End {
  ask_id: string;
  answered_by: string;
  surface: string;
  answered_at_ms: number;
  justification: string | undefined;
}

export interface GivenAnswer {
  question_id: string;
  selected_option_ids: string[];
  labels: string[];
  values: string[];
  /** Free text, and the answer to a secret question. */
  text: string | undefined;
}

export type Answered = End & {
  status: 'answered';
  /** What was answered, in words: the chosen labels, else the text; one line for each question. */
  answer: string;
  answers: GivenAnswer[];
  /** Questions that were not required and not answered. */
  skipped: string[];
};
export type Unanswered = End & { status: 'declined' | 'cancelled' | 'expired' | 'failed'; reason: string };
export type AskOutcome = Answered | Unanswered;

export type ApprovalOutcome = End & {
  status: AskOutcome['status'];
  /** What may run: the agent's own input, or what the person made of it. */
  input: Record<string, unknown>;
  /** The person changed the input: run `input`, and tell the model so. */
  edited: boolean;
  /** What else was allowed with it, of what was suggested. */
  suggestion_ids: string[];
  reason: string;
} & ({ allowed: true; status: 'answered' } | { allowed: false });

/** The ask is stored and open; the answer comes when the agent is started again. */
export interface Held {
  status: 'held';
  ask_id: string;
}

export type Ended<V extends AskView = AskView> = V & { answer: NonNullable<AskView['answer']> };
export const hasEnded = <V extends AskView>(ask: V): ask is Ended<V> => ask.answer !== undefined;

export function questionOutcome(ask: Ended<QuestionAskView>): AskOutcome {
  const { answer } = ask;
  if (answer.outcome !== 'answered')
    return { ...endOf(ask), status: answer.outcome, reason: answer.reason ?? answer.justification ?? answer.outcome };
  const { questions } = ask.request;
  const answers = (answer.answers ?? []).map((given): GivenAnswer => {
    const asked = questions.find((q) => q.id === given.question_id);
    const chosen = given.selected_option_ids ?? [];
    const options = chosen.map((id) => asked?.options.find((o) => o.id === id));
    return {
      question_id: given.question_id,
      selected_option_ids: chosen,
      labels: options.map((o, i) => o?.label ?? chosen[i] ?? ''),
      values: options.map((o, i) => o?.value ?? chosen[i] ?? ''),
      text: given.freeform_answer,
    };
  });
  const given = new Set(answers.map((a) => a.question_id));
  return {
    ...endOf(ask),
    status: 'answered',
    answer: answers.map(inWords).join('\n'),
    answers,
    skipped: questions.map((q) => q.id).filter((id) => !given.has(id)),
  };
}

function inWords({ labels, text }: GivenAnswer): string {
  if (labels.length === 0) return text ?? '';
  return text ? `${labels.join(', ')} (${text})` : labels.join(', ');
}

export function approvalOutcome(ask: Ended, ownInput: Record<string, unknown>): ApprovalOutcome {
  const { answer } = ask;
  const end = endOf(ask);
  if (answer.outcome === 'answered' && answer.behavior === 'allow') {
    const input = answer.updated_input ?? ownInput;
    const { suggestion_ids = [], reason = '' } = answer;
    const edited = answer.updated_input !== undefined;
    return { ...end, status: 'answered', allowed: true, input, edited, suggestion_ids, reason };
  }
  const reason = answer.reason ?? answer.outcome;
  const unchanged = { input: ownInput, edited: false };
  return { ...end, status: answer.outcome, allowed: false, ...unchanged, suggestion_ids: [], reason };
}

/** An allow that must not be acted on: what would run is not what was allowed. */
export const refused = (ask: Ended, ownInput: Record<string, unknown>, reason: string): ApprovalOutcome => ({
  ...endOf(ask),
  status: 'failed',
  allowed: false,
  input: ownInput,
  edited: false,
  suggestion_ids: [],
  reason,
});

function endOf({ ask_id, answer }: Ended): End {
  const { answered_by, surface, answered_at_ms, justification } = answer;
  return { ask_id, answered_by, surface, answered_at_ms, justification };
}
