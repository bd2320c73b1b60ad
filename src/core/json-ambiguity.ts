// Finds what makes a JSON text ambiguous: a key that an object has twice, of which parsers keep different ones, and an
// integer that a double cannot hold. Either would be shown to a person as something else than was sent (RFC 7493).
// Valid JSON takes one pass over its text; where that finds a difference, a second one names the place.

const QUOTE = 0x22;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
/** Numbers with fewer characters are exact. */
const LONGEST_EXACT = 15;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** What is ambiguous in a valid JSON text, and where; undefined if nothing is. `members`: of what it was parsed to. */
export function ambiguityIn(text: string, members: number): string | undefined {
  const written = survey(text);
  return written.hasLongNumber || written.members !== members ? placeOf(text) : undefined;
}

/** How many members the objects of a parsed value have. */
export function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const keys = Object.keys(value);
  let members = Array.isArray(value) ? 0 : keys.length;
  for (const key of keys) members += membersOf((value as Record<string, unknown>)[key]);
  return members;
}

/** How many members its objects are written with, and whether a number may be inexact. */
function survey(text: string): { members: number; hasLongNumber: boolean } {
  let members = 0;
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) at = closingQuote(text, at);
    else if (c === COLON) members += 1;
    else if (isDigit(c)) {
      const start = at;
      while (isInNumber(text.charCodeAt(at + 1))) at += 1;
      hasLongNumber ||= at - start >= LONGEST_EXACT;
    }
  }
  return { members, hasLongNumber };
}

/** An object or an array that is being read. */
interface Open {
  /** Of an object: the keys so far. */
  keys: Set<string> | undefined;
  /** Where it is, and in it the member that is being read. */
  path: string;
  step: string | number;
}

function placeOf(text: string): string | undefined {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    const inside = open.at(-1);
    if (c === QUOTE) {
      const end = closingQuote(text, at);
      if (inside?.keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (inside.keys.has(key)) return `${pathTo(inside, key)} occurs twice`;
        inside.keys.add(key);
        inside.step = key;
      }
      at = end;
    } else if (c === MINUS || isDigit(c)) {
      NUMBER.lastIndex = at;
      const literal = NUMBER.exec(text)?.[0] ?? '';
      if (isInexact(literal)) return `${inside ? pathTo(inside, inside.step) : 'the value'} is ${inexact(literal)}`;
      at += Math.max(literal.length, 1) - 1;
    } else if (text[at] === '{' || text[at] === '[') {
      const path = inside ? pathTo(inside, inside.step) : '';
      open.push({ keys: text[at] === '{' ? new Set() : undefined, path, step: 0 });
    } else if (text[at] === '}' || text[at] === ']') open.pop();
    else if (text[at] === ',' && typeof inside?.step === 'number') inside.step += 1;
  }
  return undefined;
}

/** Written out, it must be safe; with an exponent it must be the number that it is shown as. */
function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  return /[eE]/.test(literal) ? significant(literal) !== significant(String(value)) : true;
}

const inexact = (literal: string): string =>
  `${literal.length > 40 ? `${literal.slice(0, 40)}…` : literal}, an integer beyond 2^53 - 1 that would be rounded; send it as a string`;

/** Its digits and the power of ten, whichever way it is written. */
function significant(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/i.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

const MOST_PATH = 200;
const pathTo = ({ path }: Open, step: string | number): string => {
  const longer = typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`;
  return longer.length > MOST_PATH ? `${longer.slice(0, MOST_PATH)}…` : longer;
};

function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); ; at = text.indexOf('"', at + 1)) {
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text.charCodeAt(at) === COLON;
}

const isDigit = (c: number): boolean => c >= ZERO && c <= NINE;
/** Digits, and what may stand between them: `.`, `e`, `E`, `+`, `-`. */
const isInNumber = (c: number): boolean =>
  isDigit(c) || c === 0x2e || c === 0x65 || c === 0x45 || c === 0x2b || c === MINUS;
