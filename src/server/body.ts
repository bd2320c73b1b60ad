// Parses request bodies: valid UTF-8, JSON of limited depth that means one thing, no text that a database could not store.
// A refused body has changed nothing, and the refusal names the reason.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import { ambiguityIn } from '../core/json-ambiguity.ts';

const MAX_DEPTH = 64;
/** A megabyte of empty arrays costs a hundred times as much as a megabyte of text. */
const MOST_VALUES = 100_000;
const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b];

declare module 'fastify' {
  interface FastifyRequest {
    /** On a route that takes ambiguous bodies: what is ambiguous in this one. */
    ambiguity?: string;
    /** Whether the body may have a `null` in it. */
    mayHaveNulls: boolean;
  }
}

/** `count` gets the size of every body that has arrived. */
export function acceptJsonOnly(app: FastifyInstance, count: (request: FastifyRequest, bytes: number) => void): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('mayHaveNulls', false);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      count(request, body.length);
      const { anyText = false, mayBeAmbiguous } = request.routeOptions.config;
      const { value, ambiguity, mayHaveNulls } = parseJson(body as Buffer, anyText);
      request.mayHaveNulls = mayHaveNulls;
      if (ambiguity !== undefined && !mayBeAmbiguous)
        throw fail('invalid_request', `The body is ambiguous: ${ambiguity}.`);
      if (ambiguity !== undefined) request.ambiguity = ambiguity;
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
}

interface Parsed {
  value: unknown;
  ambiguity?: string | undefined;
  mayHaveNulls: boolean;
}

function parseJson(bytes: Buffer, anyText: boolean): Parsed {
  if (bytes.length === 0) return { value: {}, mayHaveNulls: false };
  if (!isUtf8(bytes)) throw fail('invalid_request', 'The body is not valid UTF-8.');
  checkValues(bytes);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deep' : (error as Error).message;
    throw fail('invalid_request', `The body is not valid JSON: ${why}`);
  }
  const suspicious = text.includes('\\u') || text.includes('__proto__') || text.includes('constructor');
  const members = inspect(value, suspicious && !anyText);
  return { value, ambiguity: ambiguityIn(text, members), mayHaveNulls: text.includes('null') };
}

/** Returns how many members its objects have. Goes no deeper than allowed, so that depth cannot break the walker. */
function inspect(value: unknown, strings: boolean, depth = 1): number {
  if (strings && typeof value === 'string') checkText(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw fail('invalid_request', 'The body has a number that is too large.');
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) throw fail('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  const keys = Object.keys(value);
  let members = Array.isArray(value) ? 0 : keys.length;
  for (const key of keys) {
    if (key === '__proto__')
      throw fail('invalid_request', 'The body has a field named __proto__, which is not allowed.');
    if (strings) checkText(key);
    members += inspect((value as Record<string, unknown>)[key], strings, depth + 1);
  }
  return members;
}

/** Before it is parsed: counts what begins or separates values outside of strings. */
function checkValues(bytes: Buffer): void {
  if (bytes.length <= MOST_VALUES) return;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at];
    if (c === QUOTE) at = closingQuote(bytes, at);
    else if (c === COMMA || c === BRACKET || c === BRACE) values += 1;
    if (values > MOST_VALUES)
      throw fail('invalid_request', `The body has more than ${MOST_VALUES} values. Send large data as one text.`);
  }
}

/** Of the string that begins at an index; the end of the body where it has none. */
function closingQuote(bytes: Buffer, begin: number): number {
  for (let end = begin; ; ) {
    end = bytes.indexOf(QUOTE, end + 1);
    if (end === -1) return bytes.length;
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}

function checkText(text: string): void {
  if (text.includes('\0'))
    throw fail('invalid_request', 'The body has a text with a NUL character, which is not allowed.');
  if (!text.isWellFormed()) throw fail('invalid_request', 'The body has a text with half a surrogate pair.');
}
