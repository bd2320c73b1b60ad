// Writes refusals with OpenCode's own bodies: a tagged error for a request that is gone, and a named error with its data
// for everything else.
import type { FastifyReply } from 'fastify';
import type { ErrorCode, Refusal } from '../../core/errors.ts';
import { STATUS } from '../problem.ts';

export class DoorError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`the reply has status ${status}`);
    this.status = status;
    this.body = body;
  }
}

type RequestKind = 'Permission' | 'Question';

/** It never was there, has ended, or is not shown by this door. */
export const requestNotFound = (kind: RequestKind, requestID: string): DoorError =>
  new DoorError(404, {
    _tag: `${kind}NotFoundError`,
    requestID,
    message: `${kind} request not found: ${requestID}`,
  });

export const notFound = (message: string): DoorError =>
  new DoorError(404, { name: 'NotFoundError', data: { message } });

export const badRequest = (message: string, kind: 'Params' | 'Query' | 'Body' | 'Payload' = 'Payload'): DoorError =>
  new DoorError(400, { name: 'BadRequest', data: { message, kind } });

/** Refusals of a reply to a request that has ended, or ends at the same moment. */
const GONE: readonly ErrorCode[] = [
  'ask_not_found',
  'run_not_found',
  'session_not_found',
  'ask_state_conflict',
  'approval_state_conflict',
  'approval_request_not_pending',
  'question_state_conflict',
  'question_resolution_conflict',
  'question_request_mismatch',
  'question_expired',
  'interactive_form_not_pending',
];
export const isGone = ({ code }: Refusal): boolean => GONE.includes(code);

const NAMES: Record<number, string> = {
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  409: 'ConflictError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  429: 'RateLimitError',
};

export function sendDoorError(reply: FastifyReply, error: DoorError): FastifyReply {
  return reply.code(error.status).type('application/json').send(JSON.stringify(error.body));
}

/** Any other refusal of the server. */
export function sendRefusal(reply: FastifyReply, { code, detail }: Refusal): FastifyReply {
  const status = STATUS[code];
  if (status === 400) return sendDoorError(reply, badRequest(detail));
  if (status === 401) reply.header('www-authenticate', 'Basic realm="holdpoint"');
  if (status === 429) reply.header('retry-after', '1');
  if (status === 413) reply.removeHeader('connection');
  const name = NAMES[status] ?? 'UnknownError';
  return sendDoorError(reply, new DoorError(status, { name, data: { message: detail, code } }));
}
