// Where a session's agent works: a folder on the machine of the worker, named by the session.
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

/** What is wrong with it, in words; nothing if an agent can work there. */
export async function folderProblem(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined)
    return 'The session has no work_folder: create it with one, so that its agent can work there.';
  if (!isAbsolute(folder)) return 'The work_folder of the session must be an absolute path.';
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory()
    ? undefined
    : 'The work_folder of the session is no folder on the machine of this worker.';
}

/** As a program that works there calls it. */
export const realFolder = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
