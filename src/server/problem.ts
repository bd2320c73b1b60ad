// Writes refusals as RFC 9457 problem documents, by one total table from code to status.
import type { FastifyReply } from 'fastify';
import { ERRORS, type ErrorCode, HoldpointError, type Refusal, refuse } from '../core/errors.ts';

export const STATUS: Record<ErrorCode, number> = {
  question_request_mismatch: 400,
  question_option_not_found: 400,
  question_answer_missing: 400,
  question_duplicate_answer: 400,
  question_duplicate_option: 400,
  question_declined_with_answers: 400,
  question_single_select_violation: 400,
  question_answer_empty: 400,
  question_unknown_answer: 400,
  question_state_conflict: 409,
  question_expired: 409,
  question_resolution_conflict: 409,
  approval_state_conflict: 409,
  approval_batch_empty: 400,
  approval_not_editable: 400,
  approval_suggestion_not_found: 400,
  approval_duplicate_resolution: 400,
  approval_request_not_pending: 400,
  invalid_idempotency_key: 400,
  idempotency_conflict: 409,
  session_not_found: 404,
  session_conflict: 409,
  session_ended: 409,
  run_not_found: 404,
  run_state_conflict: 409,
  lease_lost: 409,
  ask_not_found: 404,
  ask_identity_conflict: 409,
  ask_state_conflict: 409,
  ask_digest_mismatch: 409,
  invalid_ask: 400,
  pending_asks_limit: 429,
  interactive_form_not_pending: 409,
  pending_interactive_form: 409,
  invalid_interactive_form_answer: 400,
  interactive_form_tool_required: 400,
  interactive_form_tool_mismatch: 400,
  invalid_interactive_form: 400,
  no_parent_session: 409,
  message_not_found: 404,
  grant_not_found: 404,
  grant_refused: 400,
  contact_not_found: 404,
  contact_exists: 409,
  contacts_limit: 409,
  notice_target_refused: 400,
  token_not_found: 404,
  invalid_token_request: 400,
  sign_in_link_unknown: 404,
  sign_in_link_used: 410,
  sign_in_link_expired: 410,
  name_taken: 409,
  secret_not_drafted: 400,
  thread_item_empty: 400,
  thread_prompt_mismatch: 409,
  thread_takes_no_input: 409,
  thread_not_found: 404,
  skill_not_found: 404,
  skill_exists: 409,
  invalid_skill: 400,
  skills_limit: 429,
  skill_too_large: 413,
  skill_identity_not_allowed: 403,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  unauthenticated: 401,
  csrf_token_invalid: 403,
  scope_forbidden: 403,
  session_forbidden: 403,
  invalid_request: 400,
  invalid_cursor: 400,
  body_too_large: 413,
  unsupported_media_type: 415,
  route_not_found: 404,
  page_not_built: 404,
  session_bytes_limit: 429,
  queued_runs_limit: 429,
  rate_limited: 429,
  too_many_streams: 429,
  record_unreadable: 500,
  audit_key_unavailable: 409,
  store_unavailable: 503,
  shutting_down: 503,
  internal: 500,
};

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  domain: string;
  code: ErrorCode;
  [more: string]: unknown;
}

export function problemOf(refusal: Refusal): Problem {
  const [domain, title] = ERRORS[refusal.code];
  return {
    type: `urn:holdpoint:problem:${refusal.code}`,
    title,
    status: STATUS[refusal.code],
    detail: refusal.detail,
    domain,
    code: refusal.code,
    ...(refusal.winner && { winner: refusal.winner }),
    ...refusal.more,
  };
}

export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = problemOf(refusal);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="holdpoint"');
  if (problem.status === 429) reply.header('retry-after', problem.code === 'session_bytes_limit' ? '3600' : '1');
  // Closed under a client that still sends, the connection would be reset and the answer lost: the rest is read and dropped.
  if (problem.status === 413) reply.removeHeader('connection');
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/** What anything thrown on the way to a reply means to the caller. `undefined`: a defect of ours, told without details. */
export function refusalOf(error: unknown, bodyLimit: number): Refusal | undefined {
  if (error instanceof HoldpointError) return error.refusal;
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refuse('body_too_large', `A body has at most ${bodyLimit} bytes.`);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return refuse('unsupported_media_type', 'Send JSON with `Content-Type: application/json`.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return refuse('invalid_request', message ?? 'The request could not be understood.');
  return undefined;
}

export const INTERNAL = refuse('internal', 'The request was not carried out. The server log has the details.');
