// Cuts a line into pieces that are drawn alike: by the colours of the highlighter, and by the words that changed. Pure.
import type { Marks } from './word-diff.ts';

/** A stretch of a line with the class of its colour. */
export interface Token {
  from: number;
  to: number;
  className: string;
}

export interface Piece {
  text: string;
  className: string;
  isChanged: boolean;
}

/** Both lists are in order and do not overlap. */
export function piecesOf(text: string, tokens: readonly Token[], marks: Marks): Piece[] {
  const ends = [...tokens.flatMap(({ from, to }) => [from, to]), ...marks.flat(), text.length];
  const cuts = [...new Set(ends)].filter((at) => at > 0 && at <= text.length).sort((a, b) => a - b);
  let from = 0;
  return cuts.map((to) => {
    const at = from;
    from = to;
    return {
      text: text.slice(at, to),
      className: tokens.find((token) => token.from <= at && at < token.to)?.className ?? '',
      isChanged: marks.some(([start, end]) => start <= at && at < end),
    };
  });
}

interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: Node[];
}

/** The tokens of each line of a highlighted text. */
export function tokensByLine(nodes: readonly Node[]): Token[][] {
  const lines: Token[][] = [[]];
  let at = 0;
  const visit = (node: Node, outer: string): void => {
    const names = node.properties?.className;
    const className = Array.isArray(names) ? names.join(' ') : outer;
    for (const child of node.children ?? []) visit(child, className);
    for (const [i, part] of (node.value ?? '').split('\n').entries()) {
      if (i > 0) {
        lines.push([]);
        at = 0;
      }
      if (part !== '' && className !== '') lines.at(-1)?.push({ from: at, to: at + part.length, className });
      at += part.length;
    }
  };
  for (const node of nodes) visit(node, '');
  return lines;
}
