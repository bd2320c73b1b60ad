// Converts the short form in which a program asks into the body of the API. Refuses nothing: the server judges.
import type { z } from 'zod';
import type { AskMode } from '../core/ask.ts';
import type { OptionInput, QuestionInput } from '../core/question.ts';
import type { ApprovalBody, QuestionBody } from './asking.ts';

export interface Deadline {
  expires_after_ms?: number | undefined;
  expires_at_ms?: number | undefined;
}

interface OneQuestion extends Omit<z.input<typeof QuestionInput>, 'id' | 'options'> {
  options?: (string | z.input<typeof OptionInput>)[] | undefined;
  questions?: undefined;
}
interface SeveralQuestions {
  questions: z.input<typeof QuestionInput>[];
}

export type Questions = OneQuestion | SeveralQuestions;
interface Restart {
  /** What the person should know to answer. */
  context?: string | undefined;
  /** What the run that carries on is to find again; only in mode `restart`. */
  partial_state?: unknown;
}
interface Lineage {
  /** The sub-agents between the run and the one that asks, the outermost first. */
  lineage?: string[] | undefined;
}
export type AskSpec = Questions &
  Deadline &
  Restart &
  Lineage & { id?: string | undefined; mode?: AskMode | undefined };
export type ApproveSpec = Omit<ApprovalBody, 'kind' | 'tool_call_id' | 'idempotency_key'> & { id?: string | undefined };

export function questionsOf(spec: Questions): QuestionBody['questions'] {
  if (spec.questions) return spec.questions;
  const { header, question, options, multi_select, required, allow_other, placeholder, secret } = spec;
  const given = { header, multi_select, required, allow_other, placeholder, secret, default: spec.default };
  const choices = options?.map((option) => (typeof option === 'string' ? { label: option } : option));
  return [{ ...given, question, ...(choices && { options: choices }) }];
}

export function questionBody(spec: AskSpec, toolCallId: string): QuestionBody {
  const { mode, context, lineage, partial_state, expires_after_ms, expires_at_ms } = spec;
  const deadline = { expires_after_ms, expires_at_ms };
  const body = { mode, questions: questionsOf(spec), context, lineage, partial_state, ...deadline };
  return { kind: 'question', tool_call_id: toolCallId, ...body };
}

export function approvalBody({ id: _, ...spec }: ApproveSpec, toolCallId: string): ApprovalBody {
  return { kind: 'approval', tool_call_id: toolCallId, ...spec };
}
