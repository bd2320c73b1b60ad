// The folder that something runs in, among the facts of a card or a page: to the letter, or nothing where none is known.
import { Exact } from './text.tsx';

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
