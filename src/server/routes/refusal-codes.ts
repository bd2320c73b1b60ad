// Codes with which several routes refuse.
import type { ErrorCode } from '../../core/errors.ts';

/** Values that do not fit the question set. */
const VALUES = [
  'question_answer_empty',
  'question_answer_missing',
  'question_duplicate_answer',
  'question_duplicate_option',
  'question_option_not_found',
  'question_single_select_violation',
  'question_unknown_answer',
] as const satisfies readonly ErrorCode[];

export const ANSWER_CODES = [
  ...VALUES,
  'question_declined_with_answers',
  'question_request_mismatch',
  'question_expired',
  'question_resolution_conflict',
  'question_state_conflict',
] as const satisfies readonly ErrorCode[];

export const APPROVAL_CODES = [
  'approval_batch_empty',
  'approval_duplicate_resolution',
  'approval_not_editable',
  'approval_request_not_pending',
  'approval_state_conflict',
  'approval_suggestion_not_found',
  'grant_refused',
] as const satisfies readonly ErrorCode[];

/** A message to a session may answer what it asks. */
export const MESSAGE_CODES = [
  ...VALUES,
  'interactive_form_not_pending',
  'interactive_form_tool_mismatch',
  'interactive_form_tool_required',
  'invalid_interactive_form_answer',
  'pending_interactive_form',
  'approval_state_conflict',
  'question_expired',
  'question_state_conflict',
  'run_state_conflict',
  'session_ended',
  'session_bytes_limit',
  'queued_runs_limit',
  'grant_refused',
  'thread_item_empty',
  'thread_prompt_mismatch',
  'thread_takes_no_input',
] as const satisfies readonly ErrorCode[];

export const RAISE_CODES = [
  'ask_identity_conflict',
  'ask_state_conflict',
  'invalid_ask',
  'pending_asks_limit',
  'run_state_conflict',
  'session_bytes_limit',
  'session_ended',
] as const satisfies readonly ErrorCode[];
