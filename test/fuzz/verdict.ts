// What every response to bad input has in common: never a failure of ours, and always a problem document that can be
// acted on.
import { ERRORS } from '../../src/core/errors.ts';
import type { Problem } from '../../src/server/problem.ts';
import type { Received } from '../support/http.ts';

/** What is wrong with this response; undefined when it is as it should be. */
export function faultOf(response: Pick<Received, 'status' | 'headers' | 'text'>): string | undefined {
  const { status, headers, text } = response;
  if (status >= 500) return `status ${status}: ${text.slice(0, 300)}`;
  if (status < 400) return undefined;
  if (!String(headers['content-type']).startsWith('application/problem+json'))
    return `status ${status} as ${headers['content-type']}: ${text.slice(0, 300)}`;
  const problem = parsed(text);
  if (!problem) return `status ${status} with a body that is no JSON: ${text.slice(0, 300)}`;
  const known = ERRORS[problem.code];
  if (!known) return `an unknown code: ${text.slice(0, 300)}`;
  const [domain, title] = known;
  const complete =
    problem.status === status &&
    problem.domain === domain &&
    problem.title === title &&
    problem.type === `urn:holdpoint:problem:${problem.code}` &&
    problem.detail.length > 0;
  if (!complete) return `an incomplete problem: ${text.slice(0, 300)}`;
  if (/\n\s+at |node_modules|SQLITE|\.ts:\d/.test(text)) return `a problem that tells too much: ${text.slice(0, 300)}`;
  return undefined;
}

function parsed(text: string): Problem | undefined {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return undefined;
  }
}
