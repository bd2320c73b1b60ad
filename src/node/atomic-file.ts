// Writes a file whole or not at all: readers, and a process that dies at any point, leave the old content or the new one
// under its name. Owns the draft beside it. Follows no link at the draft's name, and creates no folder.
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

interface AtomicWrite {
  /** Permissions of the file; readable by its owner only unless given. */
  mode?: number;
  /** Where the content is written first, on the same file system. What lies there is removed. */
  draft?: string;
  /** Called when only the rename is left; if it throws, the file stays as it was. */
  beforeRename?: () => void;
}

export function writeFileAtomic(path: string, content: string | Uint8Array, options: AtomicWrite = {}): void {
  const { mode = 0o600, draft = `${path}.${process.pid}`, beforeRename } = options;
  rmSync(draft, { force: true });
  try {
    // Private from the first byte, whatever its permissions become.
    writeFileSync(draft, content, { mode: 0o600, flush: true, flag: 'wx' });
    chmodSync(draft, mode);
    beforeRename?.();
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
