// Shows what an approval would do, in full: the command, the change of a file, and every other field of the input. Leaves
// out only what the card already shows beside it, word for word.
import { lazy, Suspense } from 'react';
import { wantedPermissions } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { filesOfDiff, partsOf } from '../state/action-parts.ts';
import { Code } from './code.tsx';
import { RenderBoundary } from './error-boundary.tsx';
import { Exact } from './text.tsx';

const Diff = lazy(() => import('./diff.tsx'));

interface ActionProps {
  request: Pick<ApprovalRequest, 'input' | 'diff' | 'reason'>;
  /** As the card names it. */
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
}

export function Action({ request, folder, isWhole, onWhole }: ActionProps) {
  const { input, diff } = request;
  const change = fileChangeOf(input);
  const whole = { isWhole, onWhole };
  const isShownBeside = (key: string, value: unknown) => value === { description: request.reason, cwd: folder }[key];
  const other = Object.fromEntries(Object.entries(input).filter(([key, value]) => !isShownBeside(key, value)));
  const parts = partsOf(Object.keys(other).length === 0 ? input : other);
  const codes = (isCommand: boolean) =>
    parts
      .filter(({ language }) => (language === 'bash') === isCommand)
      .map(({ key, text, language }) => <Code key={key} title={key} text={text} language={language} {...whole} />);
  const wanted = wantedPermissions(input);
  return (
    <>
      {codes(true)}
      <RenderBoundary
        key={diff ?? change?.file}
        fallback={<ExactChange text={diff ?? JSON.stringify(input, undefined, 2)} />}
      >
        <Suspense fallback={<p aria-busy="true">Loading the change…</p>}>
          {change && <Diff file={change.file ?? 'file'} changes={change.changes} patch={undefined} {...whole} />}
          {diff !== undefined && <Diff file={filesOfDiff(diff)} changes={undefined} patch={diff} {...whole} />}
        </Suspense>
      </RenderBoundary>
      {change?.keys.includes('content') && (
        <p className="small muted">The file gets exactly this content. What is in it now, if it exists, is replaced.</p>
      )}
      {wanted.length > 0 && (
        <div>
          <p>It wants to</p>
          <ul className="bullets">
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

/** An MCP server asks the person to open a page, which nothing else opens for them. */
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

const ExactChange = ({ text }: { text: string }) => (
  <Code title="change" text={text} language="plain" isWhole onWhole={() => {}} />
);
