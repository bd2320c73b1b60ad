// Draws names and values as a definition list, and the work folder as one of them.
import type { ReactNode } from 'react';
import { Exact } from './text.tsx';
import './facts.css';

export const Facts = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>;

/** Nothing where no folder is known. */
export function FolderFact({ folder }: { folder: string | undefined }) {
  if (folder === undefined) return null;
  return (
    <>
      <dt>Folder</dt>
      <dd>
        <code>
          <Exact text={folder} />
        </code>
      </dd>
    </>
  );
}
