// Reads the folder to which a client limits a request: OpenCode's clients name one with every call.
import type { FastifyRequest } from 'fastify';
import { badRequest } from './errors.ts';
import { trimmed } from './session.ts';

/** From the query, or encoded in the header that the SDK sends with a POST. */
export function directoryOf({ query, headers }: FastifyRequest): string | undefined {
  const header = headers['x-opencode-directory'];
  const given =
    (query as { directory?: unknown }).directory ?? (typeof header === 'string' ? decoded(header) : undefined);
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string')
    throw badRequest(`Expected string, got ${JSON.stringify(given)}\n  at ["directory"]`, 'Query');
  return trimmed(given);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('x-opencode-directory: expected a text with valid percent signs', 'Params');
  }
}
