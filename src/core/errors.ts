// Lists every refusal by a stable code, with a domain and a title; its form on the wire (HTTP status, exit code) belongs to
// the API layer. Core returns refusals as values; the gateway throws them as HoldpointError; any other exception is a defect.
import type { z } from 'zod';
import type { WinnerView } from './winner.ts';

export const ERRORS = {
  question_request_mismatch: ['questions', 'The request id does not match a pending question of this run'],
  question_option_not_found: ['questions', 'An answer selected an option that is not part of the question'],
  question_answer_missing: ['questions', 'A required question was not answered'],
  question_duplicate_answer: ['questions', 'The same question was answered more than once'],
  question_duplicate_option: ['questions', 'The same option was selected more than once'],
  question_declined_with_answers: ['questions', 'A declined resolution also supplied answers'],
  question_single_select_violation: ['questions', 'A single-select question received several options'],
  question_answer_empty: ['questions', 'An answer supplied neither options nor free text'],
  question_unknown_answer: ['questions', 'An answer was given for a question that was not asked'],
  question_state_conflict: ['questions', 'This question is not waiting for an answer'],
  question_expired: ['questions', 'The question expired before this arrived'],
  question_resolution_conflict: ['questions', 'The clarification was already resolved with a different answer'],
  approval_state_conflict: ['approvals', 'This approval is not waiting for a decision'],
  approval_batch_empty: ['approvals', 'The batch has no resolutions'],
  approval_duplicate_resolution: ['approvals', 'The batch resolves the same approval more than once'],
  approval_request_not_pending: ['approvals', 'This run raised no approval with this id'],
  approval_not_editable: ['approvals', 'The caller cannot accept a changed input'],
  approval_suggestion_not_found: ['approvals', 'The agent made no such suggestion'],
  invalid_idempotency_key: ['idempotency', 'The idempotency key is not usable'],
  idempotency_conflict: ['idempotency', 'The idempotency key was used with a different payload'],
  session_not_found: ['sessions', 'There is no such session'],
  session_conflict: ['sessions', 'The session exists with other settings'],
  session_ended: ['sessions', 'The session has ended'],
  run_not_found: ['runs', 'There is no such run'],
  run_state_conflict: ['runs', 'The run is not in a state that allows this'],
  lease_lost: ['runs', 'Another worker holds this run'],
  ask_not_found: ['asks', 'There is no such ask'],
  ask_identity_conflict: ['asks', 'This tool call was already raised with another payload'],
  ask_state_conflict: ['asks', 'The ask is not in a state that allows this'],
  ask_digest_mismatch: ['asks', 'What is about to run is not what was answered'],
  invalid_ask: ['asks', 'The ask is not well formed'],
  pending_asks_limit: ['asks', 'The session has too many pending asks'],
  interactive_form_not_pending: ['forms', 'No form is waiting for an answer'],
  pending_interactive_form: ['forms', 'A form is waiting: submit or cancel it first'],
  invalid_interactive_form_answer: ['forms', 'The answer is not one to a form'],
  interactive_form_tool_required: ['forms', 'The answer does not name the form it is for'],
  interactive_form_tool_mismatch: ['forms', 'The answer is for another form'],
  invalid_interactive_form: ['forms', 'The form is not well formed'],
  no_parent_session: ['clarifications', 'The session has no parent to ask'],
  message_not_found: ['mailbox', 'There is no such message in this mailbox'],
  grant_not_found: ['grants', 'There is no such grant'],
  grant_refused: ['grants', 'This cannot be allowed in advance'],
  contact_not_found: ['notices', 'There is no such device or webhook'],
  contact_exists: ['notices', 'Another person or webhook has this name'],
  contacts_limit: ['notices', 'There are too many devices or webhooks'],
  notice_target_refused: ['notices', 'This address may not be notified'],
  token_not_found: ['tokens', 'There is no such token'],
  invalid_token_request: ['tokens', 'The token request is not well formed'],
  sign_in_link_unknown: ['tokens', 'There is no such sign-in link'],
  sign_in_link_used: ['tokens', 'The sign-in link was already used'],
  sign_in_link_expired: ['tokens', 'The sign-in link has expired'],
  name_taken: ['tokens', 'Another person signs with this name'],
  secret_not_drafted: ['drafts', 'The value of a secret is never kept in a draft'],
  thread_item_empty: ['threads', 'The post has no text'],
  thread_prompt_mismatch: ['threads', 'This is not what the thread asks'],
  thread_takes_no_input: ['threads', 'The thread takes answers only'],
  thread_not_found: ['threads', 'There is no such thread'],
  skill_not_found: ['skills', 'There is no such skill'],
  skill_exists: ['skills', 'A skill of this name exists'],
  invalid_skill: ['skills', 'The zip is not a skill'],
  skills_limit: ['skills', 'This person has published too many skills'],
  skill_too_large: ['skills', 'The zip is too large'],
  skill_identity_not_allowed: ['auth', 'A skill identity may only publish skills'],
  host_not_allowed: ['auth', 'This host name is not allowed'],
  origin_not_allowed: ['auth', 'This origin is not allowed'],
  unauthenticated: ['auth', 'A valid token is required'],
  csrf_token_invalid: ['auth', 'The request did not come from our own page'],
  scope_forbidden: ['auth', 'The token may not do this'],
  session_forbidden: ['auth', 'The token belongs to another session'],
  invalid_request: ['requests', 'The request is not well formed'],
  invalid_cursor: ['requests', 'The cursor is not one that this server gave out'],
  body_too_large: ['requests', 'The body is too large'],
  unsupported_media_type: ['requests', 'The body must be application/json'],
  route_not_found: ['requests', 'There is no such route'],
  page_not_built: ['requests', 'The page was not built'],
  session_bytes_limit: ['limits', 'The session has stored too much today'],
  queued_runs_limit: ['limits', 'The session has too many queued runs'],
  rate_limited: ['limits', 'Too many requests'],
  too_many_streams: ['limits', 'Too many open streams and polls'],
  record_unreadable: ['system', 'A stored record is damaged'],
  audit_key_unavailable: ['system', 'The audit key cannot be used'],
  store_unavailable: ['system', 'The database could not keep this'],
  shutting_down: ['system', 'The server is stopping'],
  internal: ['system', 'Something went wrong on our side'],
} as const satisfies Record<string, readonly [domain: string, title: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The decision that won, part of the refusal of every later one. */
export type Winner = z.infer<typeof WinnerView>;

export interface Refusal {
  code: ErrorCode;
  detail: string;
  winner?: Winner;
  /** Further members of the problem document, such as the list of schema errors. */
  more?: Record<string, unknown>;
}

export const refuse = (code: ErrorCode, detail: string, winner?: Winner): Refusal =>
  winner ? { code, detail, winner } : { code, detail };

export class HoldpointError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.name = 'HoldpointError';
    this.refusal = refusal;
  }

  get code(): ErrorCode {
    return this.refusal.code;
  }
}

export function enforce(refusal: Refusal | undefined): void {
  if (refusal) throw new HoldpointError(refusal);
}

export const fail = (code: ErrorCode, detail: string, winner?: Winner): HoldpointError =>
  new HoldpointError(refuse(code, detail, winner));
