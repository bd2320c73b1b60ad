// Styled text as data: a line is a list of spans, a span is a text that is safe to show and a style by meaning. Owns
// the meanings, their colours, and whether colours are used at all. Widths and line breaks belong to layout.ts.
import pc from 'picocolors';

export type Style =
  | 'plain'
  | 'bold'
  | 'dim'
  | 'good'
  | 'bad'
  | 'warn'
  | 'accent'
  | 'program'
  | 'operator'
  | 'string'
  | 'variable'
  | 'flag'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'cursor'
  | 'chosen'
  | 'bar';

export interface Span {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly Span[];

export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });
export const line = (...parts: (string | Span)[]): Line =>
  parts.map((part) => (typeof part === 'string' ? span(part) : part));
export const plain = (of: Line): string => of.map((s) => s.text).join('');

/** NO_COLOR and a dumb terminal switch colours off, FORCE_COLOR switches them on where there is no terminal. */
export const hasColours = (env: NodeJS.ProcessEnv, isTerminal: boolean): boolean => {
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return isTerminal || Boolean(env.FORCE_COLOR && env.FORCE_COLOR !== '0');
};

export type Paint = (of: Line) => string;

export function painter(isColoured: boolean): Paint {
  const c = pc.createColors(isColoured);
  const paints: Record<Style, (text: string) => string> = {
    plain: (text) => text,
    bold: c.bold,
    dim: c.dim,
    good: c.green,
    bad: c.red,
    warn: c.yellow,
    accent: c.cyan,
    program: (text) => c.bold(c.cyan(text)),
    operator: (text) => c.bold(c.magenta(text)),
    string: c.green,
    variable: c.yellow,
    flag: c.blue,
    added: c.green,
    removed: c.red,
    hunk: c.cyan,
    cursor: c.inverse,
    chosen: (text) => c.bold(c.green(text)),
    bar: c.dim,
  };
  return (of) => of.map((s) => (s.text === '' ? '' : paints[s.style](s.text))).join('');
}
