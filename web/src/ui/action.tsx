// Shows what an approval would do, in full: the change of a file, the wanted permissions, and every field of the input but
// the command, which stands in the headline. Leaves out only what the card already shows beside it, word for word.
import { lazy, Suspense, useMemo } from 'react';
import { wantedPermissions } from '../../../src/client/action-summary.ts';
import { fileChangeOf } from '../../../src/client/file-change.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { partsOf } from '../state/action-parts.ts';
import { replacedFile } from '../state/unshown-files.ts';
import { within } from '../text/ask-text.ts';
import { headlineOf } from '../text/headline.ts';
import { Code } from './code.tsx';
import type { DiffProps } from './diff.tsx';
import { RenderBoundary } from './error-boundary.tsx';
import { Facts, FolderFact } from './facts.tsx';
import { Scripts } from './scripts.tsx';
import { Exact } from './text.tsx';
import { UnshownFiles } from './unshown-files.tsx';

const Diff = lazy(() => import('./diff.tsx'));

const REPLACES_SHOWN = 'The file exists and is replaced. What it loses is marked.';
const REPLACES = 'The file exists and is replaced by exactly this. What it holds now is not shown.';
const WRITES =
  'The file will contain exactly this. If it exists, it is replaced; the agent does not say whether it does.';

/** Said on the card, because an allow may come to nothing for it. */
const BOUND = 'An allow holds for the files as they are now. If one changes before, you are asked again.';

interface ActionProps {
  request: ApprovalRequest;
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
  onNote?: DiffProps['onNote'];
}

export function Action({ request, folder, isWhole, onWhole, onNote }: ActionProps) {
  const { input, diff, files = [] } = request;
  const change = useMemo(() => fileChangeOf(input), [input]);
  const { boxes, fields } = useMemo(() => partsOf(input), [input]);
  const shown = useMemo(() => headlineOf(request).key, [request]);
  // The reason of a request that is asked again has what was given as its last paragraph.
  const reasons = [request.reason, ...request.reason.split('\n\n')];
  const beside: Record<string, readonly unknown[]> = { description: reasons, cwd: [folder] };
  const isBeside = (key: string) => key === shown || beside[key]?.includes(input[key]);
  const listed = fields.filter(({ key }) => !isBeside(key));
  const wanted = wantedPermissions(input);
  const whole = { isWhole, onWhole };
  const isWritten = change?.keys.includes('content') ?? false;
  const replaced = isWritten ? replacedFile(request, change?.file, folder) : undefined;
  const replacedText = replaced?.text;
  return (
    <>
      {isWritten && (
        <p className="small">{replacedText !== undefined ? REPLACES_SHOWN : replaced ? REPLACES : WRITES}</p>
      )}
      <RenderBoundary
        key={diff ?? change?.file}
        fallback={<ExactChange text={diff ?? JSON.stringify(input, undefined, 2)} />}
      >
        <Suspense fallback={<p aria-busy="true">Loading the change…</p>}>
          {change && (
            <Diff
              file={within(folder, change.file ?? 'file')}
              changes={
                replacedText === undefined
                  ? change.changes
                  : change.changes.map(({ after }) => ({ before: replacedText, after }))
              }
              patch={undefined}
              whole={!isWritten ? undefined : replacedText === undefined ? 'written' : 'replaced'}
              {...{ ...whole, onNote }}
            />
          )}
          {diff !== undefined && <Diff file="change" changes={undefined} patch={diff} {...{ ...whole, onNote }} />}
        </Suspense>
      </RenderBoundary>
      {files.length > 0 && <p className="small muted">{BOUND}</p>}
      <Scripts {...{ request, folder, ...whole }} />
      <UnshownFiles request={request} />
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
      {boxes
        .filter(({ language }) => language !== 'bash')
        .map(({ key, text, language }) => (
          <Code key={key} title={key} text={text} language={language} {...whole} />
        ))}
      {(folder !== undefined || listed.length > 0) && (
        <Facts>
          <FolderFact folder={folder} />
          {listed.map(({ key, label, text }) => (
            <div key={key}>
              <dt title={key}>
                <Exact text={label} />
              </dt>
              <dd>
                <code>
                  <Exact text={text} />
                </code>
              </dd>
            </div>
          ))}
        </Facts>
      )}
    </>
  );
}

/** The command of an approval, where it has one. */
export function CommandBox({ request, isWhole, onWhole }: Omit<ActionProps, 'folder' | 'onNote'>) {
  const { command } = request.input;
  if (typeof command !== 'string') return null;
  return <Code title="" text={command} language="bash" className="headline" {...{ isWhole, onWhole }} />;
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
      <span className="muted">in a new tab. Allowing tells the server that you agree.</span>
    </p>
  );
}

const ExactChange = ({ text }: { text: string }) => (
  <Code title="change" text={text} language="plain" isWhole onWhole={() => {}} />
);
