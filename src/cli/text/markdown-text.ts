// Renders the Markdown that agents write in questions and plans as lines of a terminal: headings and strong text in bold,
// bullets, fenced code behind a bar. Pure. Only those marks are taken away; links, tables and everything else stay as they
// were written, so that no part of a text can hide. Expects text that passed through terminal-text.ts.
import { quoted, wrap } from './layout.ts';
import { type Line, line, plain, type Span, type Style, span } from './spans.ts';

/** Code, which keeps its asterisks, or strong text. Paths with `**` in them are neither; bounded, so that no text takes long. */
const INLINE =
  /`[^`]{1,400}`|(?<![\p{L}\p{N}/*.\\])\*\*(?=[\p{L}\p{N}`"'(])([^*]{0,400}[\p{L}\p{N}`"').,:;!?])\*\*(?![\p{L}\p{N}/*])/gu;
const HEADING = /^#{1,6}[ \t]+(?=\S)/;
const BULLET = /^([ \t]*)[-*+] (?=\S)/;
const FENCE = /^ {0,3}(```+|~~~+)([^`]*)$/;

/** The name of a language after a fence; anything else there is text. */
const LANGUAGE = /^[\w+#.-]{0,12}$/;

/** `style`: of what has no mark of its own. */
export function markdownLines(text: string, width: number, style: Style): Line[] {
  const lines: Line[] = [];
  let fence: string | undefined;
  for (const row of text.split('\n')) {
    const [, mark, info = ''] = FENCE.exec(row) ?? [];
    if (fence !== undefined && mark?.startsWith(fence) && info.trim() === '') fence = undefined;
    else if (fence !== undefined) lines.push(...quoted(row, width));
    else if (mark !== undefined) {
      fence = mark;
      if (!LANGUAGE.test(info.trim())) lines.push(...wrap(line(span(info.trim(), 'dim')), width));
    } else lines.push(...rowLines(row, width, style));
  }
  return lines;
}

function rowLines(row: string, width: number, style: Style): Line[] {
  if (HEADING.test(row)) return wrap(line(span(withoutMarks(row), 'bold')), width);
  const indent = /^[ \t]*(?:(?:[-*+]|\d{1,3}[.)]) )?/.exec(row)?.[0].length ?? 0;
  return wrap(strong(row.replace(BULLET, '$1• '), style), width, indent);
}

function strong(text: string, style: Style): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { 0: whole, 1: inner, index } of text.matchAll(INLINE)) {
    if (inner === undefined) continue;
    spans.push(span(text.slice(end, index), style), span(inner, 'bold'));
    end = index + whole.length;
  }
  return [...spans, span(text.slice(end), style)];
}

/** On one line, for lists and prompts. */
export const withoutMarks = (text: string): string => plain(strong(text.replace(HEADING, ''), 'plain'));
