// Highlights shell commands and JSON for a terminal, each in one pass. For display only: nothing is decided by it, and a
// text that it misreads is still shown verbatim.
import { type Line, type Span, type Style, span } from './spans.ts';
import { exact } from './terminal-text.ts';

const OPERATOR = /^(?:&&|\|\||;;|>>|<<<|<<|>&|<&|&>|[|&;<>(){}])/;
const VARIABLE = /^\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]|\{[^}\n]*\}?|\()/;
const WORD = /^[^\s'"`$|&;<>(){}\\]+|^\\[^\n]?/;
const BEGINS_COMMAND = new Set(['&&', '||', ';', ';;', '|', '&', '(', '{', '`', '$(']);
const KEYWORDS = /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|time|!)$/;

/** A command as styled lines. Accepts any text and makes it safe to print. */
export function shellLines(command: string): Line[] {
  const text = exact(command);
  const spans: Span[] = [];
  let isProgram = true;
  let afterBlank = true;
  for (let at = 0; at < text.length; ) {
    const { length, style, next } = token(text, at, isProgram, afterBlank);
    const piece = text.slice(at, at + length);
    spans.push(span(piece, style));
    afterBlank = /\s$/.test(piece);
    isProgram = next;
    at += length;
  }
  return splitLines(spans);
}

interface Token {
  length: number;
  style: Style;
  /** Whether the next word names a program. */
  next: boolean;
}

function token(text: string, at: number, isProgram: boolean, afterBlank: boolean): Token {
  const c = text[at] ?? '';
  if (c === '\n') return { length: 1, style: 'plain', next: true };
  if (c === ' ') return { length: 1, style: 'plain', next: isProgram };
  if (c === '#' && afterBlank) return { length: untilAfter(text, at, '\n') - at, style: 'dim', next: isProgram };
  if (c === "'") return { length: untilAfter(text, at + 1, "'", true) - at, style: 'string', next: false };
  if (c === '"') return { length: doubleQuoted(text, at) - at, style: 'string', next: false };
  if (c === '`') return { length: 1, style: 'operator', next: true };
  // A window keeps the patterns linear: no token is longer.
  const ahead = text.slice(at, at + 400);
  const operator = OPERATOR.exec(ahead)?.[0];
  if (operator) return { length: operator.length, style: 'operator', next: BEGINS_COMMAND.has(operator) };
  if (c === '$') {
    const variable = VARIABLE.exec(ahead)?.[0] ?? '$';
    return { length: variable.length, style: 'variable', next: variable === '$(' };
  }
  const word = WORD.exec(ahead)?.[0] ?? c;
  if (isProgram && KEYWORDS.test(word)) return { length: word.length, style: 'operator', next: true };
  if (isProgram && /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) return { length: word.length, style: 'variable', next: true };
  if (isProgram) return { length: word.length, style: 'program', next: false };
  return { length: word.length, style: afterBlank && word.startsWith('-') ? 'flag' : 'plain', next: false };
}

/** The index of the next `end`, or after it if `included`; the length of the text if there is none. */
function untilAfter(text: string, from: number, end: string, included = false): number {
  const found = text.indexOf(end, from);
  if (found < 0) return text.length;
  return included ? found + end.length : found;
}

function doubleQuoted(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)|([^"\d\-tfn]+|.)/gs;

/** A value as indented JSON, in styled lines. */
export function jsonLines(value: unknown): Line[] {
  const text = exact(JSON.stringify(value, undefined, 2) ?? 'null');
  const spans: Span[] = [];
  for (const [whole, string, colon, atom] of text.matchAll(JSON_TOKEN)) {
    if (string === undefined) spans.push(span(whole, atom === undefined ? 'plain' : 'variable'));
    else if (colon === undefined) spans.push(span(string, 'string'));
    else spans.push(span(string, 'accent'), span(colon));
  }
  return splitLines(spans);
}

export function splitLines(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [i, piece] of text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push({ text: piece, style });
    }
  }
  return lines;
}
