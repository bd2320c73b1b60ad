// Draws the text of one line of a change, with syntax colours and changed words. A line with hidden characters is drawn
// without both: their marks are found in the whole line.
import { memo } from 'react';
import type { DiffLine } from '../text/diff-lines.ts';
import { piecesOf, type Token } from '../text/line-pieces.ts';
import { hiddenCount, lookalikeCount } from '../text/visible.ts';
import type { Marks } from '../text/word-diff.ts';
import { Exact } from './text.tsx';

export interface Colours {
  tokens: ReadonlyMap<DiffLine, readonly Token[]>;
  words: ReadonlyMap<DiffLine, Marks>;
}

interface LineTextProps {
  line: DiffLine;
  colours: Colours;
}

export const LineText = ({ line, colours: { tokens, words } }: LineTextProps) => (
  <Coloured text={line.text} tokens={tokens.get(line) ?? NONE} marks={words.get(line) ?? NONE} />
);

const NONE: readonly never[] = [];

const Coloured = memo(function Coloured({
  text,
  tokens,
  marks,
}: {
  text: string;
  tokens: readonly Token[];
  marks: Marks;
}) {
  if (tokens.length + marks.length === 0 || hiddenCount(text) + lookalikeCount(text) > 0) return <Exact text={text} />;
  return piecesOf(text, tokens, marks).map(({ text: piece, className, isChanged }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, never moved
    <span key={i} className={`${className} ${isChanged ? 'changed' : ''}`}>
      {piece}
    </span>
  ));
});
