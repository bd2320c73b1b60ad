// Shows the plan that an agent wants to start with, formatted or to the letter. A plan of which formatting would hide a
// part is shown to the letter first.
import { lazy, Suspense, useState } from 'react';
import { MAX_CHARACTERS } from '../state/action-parts.ts';
import { hidesText } from '../text/plan-text.ts';
import { CodeBox } from './code.tsx';
import { Exact } from './text.tsx';
import './plan.css';

const Markdown = lazy(() => import('./markdown.tsx'));

/** `file`: the path of the plan; empty where it is in no file. */
export function Plan({ text, file }: { text: string; file: string }) {
  // A very long one would be slow to format.
  const [isExact, setExact] = useState(() => text.length > MAX_CHARACTERS || hidesText(text));
  const exact = (
    <pre>
      <Exact text={text} />
    </pre>
  );
  const toggle = (
    <button type="button" className="button quiet small" onClick={() => setExact(!isExact)}>
      {isExact ? 'Formatted' : 'View source'}
    </button>
  );
  return (
    <CodeBox title={file || 'Plan'} text={text} className="plan" tools={toggle}>
      {isExact ? (
        exact
      ) : (
        <Suspense fallback={exact}>
          <Markdown text={text} />
        </Suspense>
      )}
    </CodeBox>
  );
}
