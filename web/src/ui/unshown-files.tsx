// Names the files that a command uses and whose content the card does not show, so that a person knows what they do not see.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { unshownFiles } from '../state/unshown-files.ts';
import { Exact } from './text.tsx';

export function UnshownFiles({ request }: { request: ApprovalRequest }) {
  const files = unshownFiles(request);
  if (files.length === 0) return null;
  return (
    <div>
      <p>
        {files.length === 1
          ? 'The command uses a file whose content is not shown here:'
          : `The command uses ${files.length} files whose content is not shown here:`}
      </p>
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
    </div>
  );
}
