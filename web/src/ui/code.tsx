// A text to the letter in a box: highlighted as soon as the highlighter has come, plain until then. A text that is too
// long to be drawn at once is cut, and says so; nothing may be allowed before the rest was shown.
import { Check, Copy } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { hiddenCount } from '../text/visible.ts';
import { Exact } from './text.tsx';

const Highlighted = lazy(() => import('./highlighted.tsx'));

/** What is longer is not drawn at once: characters of a text, lines of a diff. */
export const LONGEST_SHOWN = 20_000;
export const MOST_LINES = 600;
/** Longer than this the colours are not worth the wait. */
const LONGEST_HIGHLIGHTED = 50_000;

export type Language = 'bash' | 'json' | 'plain';

interface CodeProps {
  title: string;
  text: string;
  language: Language;
  /** Everything is drawn, however long. */
  isWhole: boolean;
  onWhole: () => void;
  children?: ReactNode;
}

export function Code({ title, text, language, isWhole, onWhole, children }: CodeProps) {
  const isCut = !isWhole && text.length > LONGEST_SHOWN;
  const shown = isCut ? text.slice(0, LONGEST_SHOWN) : text;
  const isPlain = language === 'plain' || shown.length > LONGEST_HIGHLIGHTED;
  return (
    <figure className="code">
      <figcaption className="code-head">
        <span className="name">
          <Exact text={title} />
        </span>
        <HiddenNote text={text} />
        <span className="end">
          {children}
          <CopyButton text={text} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre tabIndex={0}>
        {language === 'bash' && (
          <span className="prompt-sign" aria-hidden="true">
            ${' '}
          </span>
        )}
        {isPlain ? (
          <Exact text={shown} />
        ) : (
          <Suspense fallback={<Exact text={shown} />}>
            <Highlighted text={shown} language={language} />
          </Suspense>
        )}
      </pre>
      {isCut && (
        <button type="button" className="more" onClick={onWhole}>
          {`Show the other ${(text.length - LONGEST_SHOWN).toLocaleString('en')} characters`}
        </button>
      )}
    </figure>
  );
}

export function HiddenNote({ text }: { text: string }) {
  const count = hiddenCount(text);
  if (count === 0) return null;
  return <span className="chip bad">{count === 1 ? '1 hidden character' : `${count} hidden characters`}</span>;
}

const COPIED_MS = 1500;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  // Only pages that came over TLS or from this machine may write to the clipboard.
  if (!navigator.clipboard) return null;
  return (
    <button type="button" className="button quiet small" onClick={copy} aria-label={label} title={label}>
      {isCopied ? <Check className="icon" /> : <Copy className="icon" />}
    </button>
  );
}
