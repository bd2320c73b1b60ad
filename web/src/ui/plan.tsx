// The plan that an agent wants to begin with: formatted, or to the letter. What formatting would hide from the reader is
// shown to the letter from the start.
import { lazy, Suspense, useState } from 'react';
import { hidesText } from '../text/plan-text.ts';
import { CopyButton, HiddenNote, LONGEST_SHOWN } from './code.tsx';
import { Exact } from './text.tsx';

const Markdown = lazy(() => import('./markdown.tsx'));

/** `file`: where it stands; empty where it is in no file. */
export function Plan({ text, file }: { text: string; file: string }) {
  // A very long one would be slow to format.
  const [isExact, setExact] = useState(() => text.length > LONGEST_SHOWN || hidesText(text));
  const exact = (
    <pre>
      <Exact text={text} />
    </pre>
  );
  return (
    <figure className="code plan">
      <figcaption className="code-head">
        <span className="name">
          <Exact text={file || 'plan'} />
        </span>
        <HiddenNote text={text} />
        <span className="end">
          <button type="button" className="button quiet small" onClick={() => setExact(!isExact)}>
            {isExact ? 'Formatted' : 'To the letter'}
          </button>
          <CopyButton text={text} />
        </span>
      </figcaption>
      {isExact ? (
        exact
      ) : (
        <Suspense fallback={exact}>
          <Markdown text={text} />
        </Suspense>
      )}
    </figure>
  );
}
