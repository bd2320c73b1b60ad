// Says with which codes an operation may refuse, by HTTP status: what its scopes, ids, query and body imply, and what the
// route declares. test/support/contract.ts fails every test in which a server refuses with another code.
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import { WinnerView } from '../../core/winner.ts';
import { STATUS } from '../problem.ts';
import type { Operation } from '../routes/route.ts';
import type { Json } from './schemas.ts';

export const Problem = z
  .looseObject({
    type: z.string().describe('`urn:holdpoint:problem:` and the code'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What happened, what was expected, what to do'),
    domain: z.string(),
    code: z.string().describe('Stable. Each operation lists its codes; later versions may add some'),
    winner: WinnerView.optional().describe('Who decided first, where a decision came too late'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Each field of the request that is wrong'),
  })
  .describe('A problem document (RFC 9457)');

const NOT_FOUND: Record<string, ErrorCode> = {
  session_id: 'session_not_found',
  run_id: 'run_not_found',
  ask_id: 'ask_not_found',
  thread_id: 'thread_not_found',
  token_id: 'token_not_found',
  grant_id: 'grant_not_found',
  message_id: 'message_not_found',
  skill_id: 'skill_not_found',
};

/** What any operation may fail with, or any that takes a body: the `default` response of each. */
const OF_SERVER: readonly ErrorCode[] = ['internal', 'record_unreadable', 'store_unavailable', 'shutting_down'];
const OF_BODIES: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type'];
const GENERAL: readonly ErrorCode[] = [...OF_BODIES, ...OF_SERVER];

const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'host_not_allowed',
  'origin_not_allowed',
  'scope_forbidden',
  'session_forbidden',
  'csrf_token_invalid',
  'skill_identity_not_allowed',
  ...OF_SERVER,
];

type Status = number | 'default';

/** Codes that most operations share, under these names in the document. */
const SHARED: Record<string, readonly ErrorCode[]> = {
  Unauthenticated: ['unauthenticated'],
  Forbidden: ALWAYS.filter((code) => STATUS[code] === 403),
  RateLimited: ['rate_limited'],
  InvalidKeyedRequest: ['invalid_request', 'invalid_idempotency_key'],
  InvalidPageRequest: ['invalid_request', 'invalid_cursor'],
  ServerError: OF_SERVER,
  BodyOrServerError: GENERAL,
};
const MOST_NAMED = 2;

/** By status; `default` has the codes of every status that no code particular to the operation has. */
export function codesOf(operation: Operation, isKeyed: boolean): Map<Status, ErrorCode[]> {
  const { url, scopes, query, body, form, reads = [], refuses = [] } = operation;
  const ids = [...url.matchAll(/:(\w+)/g)].map(([, id = '']) => NOT_FOUND[id]).filter((code) => code !== undefined);
  const fields = Object.keys((query as z.ZodObject | undefined)?.shape ?? {});
  const isOpen = scopes === 'open' || scopes === 'page';
  const codes = new Set<ErrorCode>([
    ...ALWAYS,
    // A skill identity is checked on open routes too.
    'unauthenticated',
    ...(isOpen ? [] : (['rate_limited'] as const)),
    ...ids,
    ...(fields.includes('cursor') ? (['invalid_cursor'] as const) : []),
    ...(fields.includes('session_id') ? (['session_not_found'] as const) : []),
    ...(isKeyed ? (['invalid_idempotency_key', 'idempotency_conflict'] as const) : []),
    ...(body || form ? OF_BODIES : []),
    ...(body && reads.includes('Holdpoint-Lease') ? (['lease_lost'] as const) : []),
    ...refuses,
  ]);
  const particular = new Set([...codes].filter((code) => !GENERAL.includes(code)).map((code) => STATUS[code]));
  const statusOf = (code: ErrorCode): Status => (particular.has(STATUS[code]) ? STATUS[code] : 'default');
  // Keys that are whole numbers come first in an object, in their order.
  return Map.groupBy(codes, statusOf);
}

/** Responses by name, each list of codes written once. */
export class Refusals {
  readonly components: Json = {};
  readonly #names = new Map<string, string>();

  /** A reference to the response with these codes; a long list is named after the first operation that has it. */
  of(status: Status, codes: readonly ErrorCode[], operation: string): Json {
    const key = sorted(codes);
    const name = this.#names.get(key) ?? nameOf(status, codes, operation);
    this.#names.set(key, name);
    this.components[name] ??= responseOf(status, codes);
    return { $ref: `#/components/responses/${name}` };
  }
}

function nameOf(status: Status, codes: readonly ErrorCode[], operation: string): string {
  const shared = Object.entries(SHARED).find(([, some]) => sorted(some) === sorted(codes));
  if (shared) return shared[0];
  return codes.length > MOST_NAMED ? pascalCase(`${operation}_${status}`) : codes.map(pascalCase).join('Or');
}

const sorted = (codes: readonly ErrorCode[]): string => [...codes].sort().join(' ');
const pascalCase = (code: string): string => code.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());

const HEADERS: Partial<Record<Status, string>> = { 401: 'WWW-Authenticate', 429: 'Retry-After' };

const title = (code: ErrorCode): string => ERRORS[code][1];

function responseOf(status: Status, codes: readonly ErrorCode[]): Json {
  const header = HEADERS[status];
  const narrowed = { type: 'object', properties: { code: { type: 'string', enum: codes } } };
  return {
    description: codes.length > MOST_NAMED ? 'Refused; the code says why' : `${codes.map(title).join('; or ')}.`,
    ...(header && { headers: { [header]: { $ref: `#/components/headers/${header}` } } }),
    content: {
      'application/problem+json': { schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] } },
    },
  };
}
