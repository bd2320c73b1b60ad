// Styled text as data: a line is a list of spans, a span is text that is safe to print and a semantic style. Owns the
// styles, their colours, and whether colours are used. Widths and line breaks belong to layout.ts.
import pc from 'picocolors';

export interface Span {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly Span[];

export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });
export const line = (...parts: (string | Span)[]): Line =>
  parts.map((part) => (typeof part === 'string' ? span(part) : part));
export const plain = (of: Line): string => of.map((s) => s.text).join('');

/** NO_COLOR and a dumb terminal disable colours; FORCE_COLOR enables them without a terminal. */
export const hasColours = (env: NodeJS.ProcessEnv, isTerminal: boolean): boolean => {
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return isTerminal || Boolean(env.FORCE_COLOR && env.FORCE_COLOR !== '0');
};

export type Paint = (of: Line) => string;

const stylesOf = (c: ReturnType<typeof pc.createColors>) => ({
  plain: (text: string) => text,
  bold: c.bold,
  dim: c.dim,
  good: c.green,
  bad: c.red,
  warn: c.yellow,
  accent: c.cyan,
  program: (text: string) => c.bold(c.cyan(text)),
  operator: (text: string) => c.bold(c.magenta(text)),
  string: c.green,
  variable: c.yellow,
  flag: c.blue,
  added: c.green,
  removed: c.red,
  hunk: c.cyan,
  cursor: c.inverse,
  chosen: (text: string) => c.bold(c.green(text)),
  bar: c.dim,
});
export type Style = keyof ReturnType<typeof stylesOf>;

export function painter(isColoured: boolean): Paint {
  const styles = stylesOf(pc.createColors(isColoured));
  return (of) => of.map((s) => (s.text === '' ? '' : styles[s.style](s.text))).join('');
}
