// What an approval would do, in full: the command, the change of a file, and every other field of the input. What is not
// understood is shown as JSON; nothing is left out but what the card says beside it, word for word.
import { lazy, Suspense } from 'react';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { wantedIn } from '../text/ask-text.ts';
import { Code, LONGEST_SHOWN, MOST_LINES } from './code.tsx';
import { Exact } from './text.tsx';

const Diff = lazy(() => import('./diff.tsx'));

interface ActionProps {
  request: Pick<ApprovalRequest, 'input' | 'diff' | 'reason'>;
  /** As the card names it. */
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
}

/** Something is too long to be drawn at once. */
export const isLong = ({ input, diff }: Pick<ApprovalRequest, 'input' | 'diff'>): boolean => {
  const changed = fileChangeOf(input)?.changes.flatMap(({ before, after }) => [before, after]) ?? [];
  return (
    partsOf(input).some(({ text }) => text.length > LONGEST_SHOWN) ||
    [...changed, diff ?? ''].some((text) => text.split('\n', MOST_LINES + 1).length > MOST_LINES)
  );
};

export function Action({ request, folder, isWhole, onWhole }: ActionProps) {
  const { input, diff } = request;
  const change = fileChangeOf(input);
  const changed = change?.keys ?? [];
  const whole = { isWhole, onWhole };
  const isSaidBeside = (key: string, value: unknown) => value === { description: request.reason, cwd: folder }[key];
  const unsaid = Object.fromEntries(Object.entries(input).filter(([key, value]) => !isSaidBeside(key, value)));
  const isEmpty = Object.keys(unsaid).length === 0;
  const parts = partsOf(isEmpty ? input : unsaid).filter(({ key }) => !changed.includes(key));
  const codes = (isCommand: boolean) =>
    parts
      .filter(({ language }) => (language === 'bash') === isCommand)
      .map(({ key, text, language }) => <Code key={key} title={key} text={text} language={language} {...whole} />);
  const wanted = wantedIn(input);
  return (
    <>
      {codes(true)}
      <Suspense fallback={<p aria-busy="true">Loading the change…</p>}>
        {change && <Diff file={change.file ?? 'file'} changes={change.changes} patch={undefined} {...whole} />}
        {diff !== undefined && <Diff file={filesOf(diff)} changes={undefined} patch={diff} {...whole} />}
      </Suspense>
      {changed.includes('content') && (
        <p className="small muted">The file gets exactly this content. What is in it now, if it exists, is replaced.</p>
      )}
      {wanted.length > 0 && (
        <div>
          <p>It wants to</p>
          <ul className="offered">
            {wanted.map((want) => (
              <li key={want}>
                <Exact text={want} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <PageToOpen input={input} />
      {codes(false)}
    </>
  );
}

/** An MCP server asks for a page to be opened: nobody else opens it. */
function PageToOpen({ input: { url, message, ...others } }: { input: Record<string, unknown> }) {
  const page = typeof url === 'string' && typeof message === 'string' ? URL.parse(url) : null;
  if (!page || !['https:', 'http:'].includes(page.protocol) || Object.keys(others).length > 0) return null;
  return (
    <p>
      <a className="link" href={page.href} target="_blank" rel="noopener noreferrer">
        Open this page of {page.host}
      </a>{' '}
      <span className="muted">in a new tab; to allow it tells the server that you agree.</span>
    </p>
  );
}

interface Part {
  key: string;
  text: string;
  language: 'bash' | 'json' | 'plain';
}

/** Short fields that are no command share one box: the input as JSON reads better than many boxes. */
function partsOf(input: Record<string, unknown>): Part[] {
  const parts: Part[] = [];
  const rest: Record<string, unknown> = {};
  const changed = new Set(fileChangeOf(input)?.keys);
  for (const [key, value] of Object.entries(input)) {
    if (key === 'command' && typeof value === 'string') parts.unshift({ key, text: value, language: 'bash' });
    else if (changed.has(key)) parts.push({ key, text: '', language: 'plain' });
    else if (typeof value === 'string' && value.includes('\n')) parts.push({ key, text: value, language: 'plain' });
    else rest[key] = value;
  }
  if (Object.keys(rest).length > 0 || parts.length === 0)
    parts.push({ key: 'input', text: JSON.stringify(rest, undefined, 2), language: 'json' });
  return parts;
}

/** What a diff says it changes, by the names before and after: a file that is made or removed has only one. */
function filesOf(diff: string): string {
  const names = [...diff.matchAll(/^--- (?:a\/)?(.+)\n\+\+\+ (?:b\/)?(.+)$/gm)].map(([, before = '', after = '']) =>
    after === NOWHERE ? before : after,
  );
  return names.length > 0 ? names.join(', ') : 'change';
}

const NOWHERE = '/dev/null';
