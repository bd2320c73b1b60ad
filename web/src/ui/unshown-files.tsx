// Names the files that a command uses and whose content the card does not show, so that a person knows what they do not see.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { shownInPart, unshownFiles } from '../state/unshown-files.ts';
import { Exact } from './text.tsx';

export function UnshownFiles({ request }: { request: ApprovalRequest }) {
  const { partly, unshown } = shownInPart(unshownFiles(request), request.diff);
  const count = unshown.length === 1 ? 'a file' : `${unshown.length} files`;
  return (
    <>
      <Files title="Only a difference is shown here of what the command uses:" files={partly} />
      <Files title={`The command uses ${count} whose content is not shown here:`} files={unshown} />
    </>
  );
}

function Files({ title, files }: { title: string; files: ReturnType<typeof unshownFiles> }) {
  if (files.length === 0) return null;
  return (
    <div>
      <p>{title}</p>
      <ul className="bullets">
        {files.map(({ path, sha256 }) => (
          <li key={path}>
            <code>
              <Exact text={path} />
            </code>{' '}
            <span className="small muted" title={sha256}>
              SHA-256 {sha256.slice(0, 12)}…
            </span>
          </li>
        ))}
      </ul>
      <p className="small muted">
        Open it at this path yourself, or ask the agent to show it: in a comment if it reads comments, or in the reason
        of a denial.
      </p>
    </div>
  );
}
