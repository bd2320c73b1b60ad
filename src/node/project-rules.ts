// Reads `.holdpoint/rules.json` of a work folder, where the agent runs: the server may be another machine. The file belongs
// to a repository, so it is bounded, never followed through a link, and none of its text is in an error.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

export const PROJECT_RULES = '.holdpoint/rules.json';
const LARGEST = 256 * 1024;

/** The parsed JSON, unchecked; or why the file cannot be used. Undefined: there is none. */
export async function readProjectRules(
  folder: string | undefined,
): Promise<{ json: unknown } | { fault: string } | undefined> {
  if (folder === undefined) return undefined;
  try {
    const file = await open(
      join(folder, PROJECT_RULES),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { fault: 'it is no file' };
      if (stat.size > LARGEST) return { fault: `it has more than ${LARGEST} bytes` };
      return jsonOf(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { fault: `it cannot be read (${code ?? 'unknown'})` };
  }
}

function jsonOf(text: string): { json: unknown } | { fault: string } {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { fault: 'it is not JSON' };
  }
}
