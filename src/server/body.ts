// Parses request bodies: valid UTF-8, JSON of limited depth, no text that a database could not store. A refused body
// has changed nothing, and the refusal names the reason.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { fail } from '../core/errors.ts';

const MAX_DEPTH = 64;
/** A body shorter than this cannot be nested too deep. */
const SHORTEST_DEEP_BODY = 2 * MAX_DEPTH;
/** Where a number could be too large to be one: JSON allows what becomes Infinity, which no JSON can say again. */
const HUGE_NUMBER = /[eE]\+?\d{3}|\d{300}/;

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseJson(body as Buffer, request.routeOptions.config.anyText === true));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJson(bytes: Buffer, anyText: boolean): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw fail('invalid_request', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deep' : (error as Error).message;
    throw fail('invalid_request', `The body is not valid JSON: ${why}`);
  }
  const suspicious = text.includes('\\u') || text.includes('__proto__') || text.includes('constructor');
  if (suspicious || text.length >= SHORTEST_DEEP_BODY || HUGE_NUMBER.test(text)) inspect(value, suspicious && !anyText);
  return value;
}

/** Goes no deeper than allowed, so that depth cannot break the walker. */
function inspect(value: unknown, strings: boolean, depth = 1): void {
  if (strings && typeof value === 'string') checkText(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw fail('invalid_request', 'The body has a number that is too large.');
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw fail('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  for (const key of Object.keys(value)) {
    if (key === '__proto__')
      throw fail('invalid_request', 'The body has a field named __proto__, which is not allowed.');
    if (strings) checkText(key);
    inspect((value as Record<string, unknown>)[key], strings, depth + 1);
  }
}

function checkText(text: string): void {
  if (text.includes('\0'))
    throw fail('invalid_request', 'The body has a text with a NUL character, which is not allowed.');
  if (!text.isWellFormed()) throw fail('invalid_request', 'The body has a text with half a surrogate pair.');
}
