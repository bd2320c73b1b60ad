// The exit codes of the command line. Scripts rely on them: a number never changes its meaning. A test compares this table
// with the one in docs/cli.md. The wording of a failure belongs to failure.ts.
import type { HoldpointProblem } from '../client/http.ts';

export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  not_found: 3,
  conflict: 4,
  expired: 5,
  refused: 6,
  unreachable: 7,
  aborted: 8,
  unfinished: 9,
  altered: 10,
  denied: 11,
  away: 12,
} as const;
export type ExitName = keyof typeof EXIT;

export const EXIT_MEANINGS: Record<ExitName, string> = {
  done: 'Done.',
  unexpected: 'Something unexpected happened, on this side or on the server.',
  usage: 'The command line, the input or the answer was not valid, or an id was ambiguous. Nothing changed.',
  not_found: 'There is no such request, session, run, token or agent.',
  conflict: 'Another answer came first, or the request conflicts with the current state.',
  expired: 'The request expired before the answer arrived.',
  refused: 'The token is missing, invalid or not allowed to do this; or a policy or a limit refused it.',
  unreachable: 'The server could not be reached, or the connection was lost and did not come back.',
  aborted: 'The person left (Ctrl-C, end of input): nothing more was done.',
  unfinished: 'The run ended without completing: failed, cancelled or interrupted.',
  altered: 'The log was altered, or part of it is missing.',
  denied: 'A person said no: the request was denied or declined.',
  away: 'Nobody answered within `--wait-ms`; the request stays open.',
};

/** Codes for which the HTTP status is not enough. */
const BY_CODE: Record<string, ExitName> = {
  question_expired: 'expired',
  question_request_mismatch: 'not_found',
  approval_request_not_pending: 'not_found',
  route_not_found: 'unexpected',
};
const BY_STATUS: Record<number, ExitName> = {
  400: 'usage',
  401: 'refused',
  403: 'refused',
  404: 'not_found',
  409: 'conflict',
  413: 'usage',
  415: 'usage',
  422: 'usage',
  429: 'refused',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

export function exitOfProblem({ code, status, winner }: HoldpointProblem): ExitName {
  if (winner?.outcome === 'expired') return 'expired';
  return BY_CODE[code] ?? BY_STATUS[status] ?? 'unexpected';
}
