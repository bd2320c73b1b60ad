// Checks the work folder of a session, which has to exist on the worker's machine.
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

export const NO_SUCH_FOLDER = 'The work_folder of the session is no folder on the machine of this worker.';

/** Why an agent cannot work there; undefined if it can. */
export async function folderProblem(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined)
    return 'The session has no work_folder: create it with one, so that its agent can work there.';
  if (!isAbsolute(folder)) return 'The work_folder of the session must be an absolute path.';
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ? undefined : NO_SUCH_FOLDER;
}

/** The path that a program in the folder reports as its own. */
export const realFolder = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
