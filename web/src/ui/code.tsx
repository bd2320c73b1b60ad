// Shows a text to the letter in a box, highlighted once the highlighter is loaded. A text that is too long to render at
// once is truncated and says so; nothing may be allowed before the rest was shown.
import { lazy, type ReactNode, Suspense } from 'react';
import { MAX_CHARACTERS } from '../state/action-parts.ts';
import { MAX_HIGHLIGHTED } from '../text/render-limits.ts';
import { hiddenCount, lookalikeCount } from '../text/visible.ts';
import { CopyButton } from './copy-button.tsx';
import { RenderBoundary } from './error-boundary.tsx';
import { Exact } from './text.tsx';
import './code.css';

const Highlighted = lazy(() => import('./highlighted.tsx'));

export type Language = 'bash' | 'json' | 'plain';

interface CodeProps {
  /** Without one the box has no title bar. */
  title: string;
  className?: string;
  text: string;
  language: Language;
  /** Render all of it, however long. */
  isWhole: boolean;
  onWhole: () => void;
}

export function Code({ title, text, language, className = '', isWhole, onWhole }: CodeProps) {
  const isTruncated = !isWhole && text.length > MAX_CHARACTERS;
  const shown = isTruncated ? text.slice(0, MAX_CHARACTERS) : text;
  // Marks are found in the whole text, which the highlighter would cut up.
  const isMarked = hiddenCount(shown) + lookalikeCount(shown) > 0;
  const isPlain = language === 'plain' || shown.length > MAX_HIGHLIGHTED || isMarked;
  return (
    <CodeBox title={title} text={text} className={className}>
      <pre>
        {language === 'bash' && (
          <span className="prompt-sign" aria-hidden="true">
            ${' '}
          </span>
        )}
        {isPlain ? (
          <Exact text={shown} />
        ) : (
          <RenderBoundary key={shown} fallback={<Exact text={shown} />}>
            <Suspense fallback={<Exact text={shown} />}>
              <Highlighted text={shown} language={language} />
            </Suspense>
          </RenderBoundary>
        )}
      </pre>
      {isTruncated && <ShowRest count={text.length - MAX_CHARACTERS} unit="characters" onClick={onWhole} />}
    </CodeBox>
  );
}

interface CodeBoxProps {
  title: string;
  /** What is copied, and searched for hidden characters. */
  text: string;
  className?: string;
  isMono?: boolean;
  /** Beside the title. */
  note?: ReactNode;
  /** Before the copy button. */
  tools?: ReactNode;
  children: ReactNode;
}

/** The box and its title bar. */
export const CodeBox = ({ title, text, className = '', isMono = false, note, tools, children }: CodeBoxProps) => (
  <figure className={`code ${className}`}>
    <figcaption className="code-head">
      <span className={`name ${isMono ? 'mono' : ''}`}>
        <Exact text={title} />
      </span>
      {note}
      <HiddenNote text={text} />
      <span className="end">
        {tools}
        <CopyButton text={text} />
      </span>
    </figcaption>
    {children}
  </figure>
);

export function HiddenNote({ text }: { text: string }) {
  const hidden = hiddenCount(text);
  const lookalikes = lookalikeCount(text);
  return (
    <>
      {hidden > 0 && <span className="chip bad">{counted(hidden, 'hidden character')}</span>}
      {lookalikes > 0 && <span className="chip bad">{counted(lookalikes, 'look-alike')}</span>}
    </>
  );
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

interface ShowRestProps {
  count: number;
  unit: 'characters' | 'lines';
  onClick: () => void;
}

export const ShowRest = ({ count, unit, onClick }: ShowRestProps) => (
  <button type="button" className="show-rest" onClick={onClick}>
    {`Show the other ${count.toLocaleString('en')} ${unit}`}
  </button>
);
