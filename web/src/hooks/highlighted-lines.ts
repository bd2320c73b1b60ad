// Loads the highlighter of changes, and highlights a file once it is there. The change is shown without colours until then.
import { useEffect, useState } from 'react';
import type { DiffBlock, DiffLine } from '../text/diff-lines.ts';
import type { Token } from '../text/line-pieces.ts';

type Lines = ReadonlyMap<DiffLine, readonly Token[]>;
const NO_LINES: Lines = new Map();

export function useHighlightedLines(name: string, blocks: readonly DiffBlock[]): Lines {
  const [lines, setLines] = useState(NO_LINES);
  useEffect(() => {
    let isGone = false;
    import('../ui/highlight-file.ts').then(
      ({ highlightFile }) => isGone || setLines(highlightFile(name, blocks)),
      // Without colours it is complete.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [name, blocks]);
  return lines;
}
