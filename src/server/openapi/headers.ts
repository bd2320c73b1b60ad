// Describes the headers and path parameters that operations share.
import type { RequestHeader } from '../routes/route.ts';
import type { Json } from './schemas.ts';

const text = (description: string, more: Json = {}): Json => ({ description, schema: { type: 'string', ...more } });
const whole = (description: string, minimum = 0): Json => ({ description, schema: { type: 'integer', minimum } });

/** Headers of responses. */
export const HEADERS = {
  Link: text('The next page, as `<path>; rel="next"`; absent on the last page'),
  'Holdpoint-Cursor': text('The position in the log for which the list is true; streams go on from there'),
  'Holdpoint-Searched-To': whole('How far back the search came, in epoch milliseconds; absent if it came to the end'),
  ETag: text('Names this version of the content'),
  'Retry-After': whole('Seconds to wait before the request is sent again'),
  'WWW-Authenticate': text('The scheme that is expected'),
} satisfies Record<string, Json>;

const KEY =
  '1 to 256 bytes without control characters, here or as `idempotency_key` in the body. The same key with the same body is carried out once and gets the first reply again; with another body it is refused';

const REQUEST_HEADERS: Record<RequestHeader | 'Idempotency-Key', Json> = {
  'Idempotency-Key': text(KEY, { minLength: 1, maxLength: 256 }),
  'Holdpoint-Lease': whole('The epoch of the lease under which a worker acts for the run', 1),
  'Last-Event-ID': text('Streams only: goes on after this event'),
  'If-None-Match': text('Answers 304 if the content still has this ETag'),
};

const IDS: Record<string, string> = {
  session_id: 'The id of a session: the one it was created with, or the one that the server gave it',
  run_id: 'The id of a run',
  ask_id: 'The id of an ask; the same as its `request_id` and `prompt_id`',
  request_id: 'The id of an ask',
  thread_id: 'The id of a thread: `thr_` and the id of its session',
  token_id: 'The id of a token, which is not its secret',
  grant_id: 'The id of a grant',
  message_id: 'The id of a message in the mailbox',
  skill_id: 'The id of a skill',
};

export const headerReference = (name: keyof typeof HEADERS): Json => ({ $ref: `#/components/headers/${name}` });
const reference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

/** Parameters by name, each written once. */
export class Parameters {
  readonly components: Json = {};

  /** An id in a path. */
  id(name: string): Json {
    const described = text(IDS[name] ?? `The ${name.replaceAll('_', ' ')}`, { minLength: 1, maxLength: 512 });
    this.components[name] ??= { name, in: 'path', required: true, ...described };
    return reference(name);
  }

  header(name: RequestHeader | 'Idempotency-Key'): Json {
    this.components[name] ??= { name, in: 'header', ...REQUEST_HEADERS[name] };
    return reference(name);
  }

  /** A reference, unless another operation means something else by the same name. */
  query(name: string, parameter: Json): Json {
    const whole = { name, in: 'query', ...parameter };
    const key = `query.${name}`;
    this.components[key] ??= whole;
    return JSON.stringify(this.components[key]) === JSON.stringify(whole) ? reference(key) : whole;
  }
}
