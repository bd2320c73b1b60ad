// Looks for settings of Amp in a work folder that decide what Amp may do. They come with a repository, which is not trusted, and
// whether Amp puts them before its person's rules cannot be tested without an account: a run does not start with them.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';

const FILES = ['settings.json', 'settings.jsonc'];
const LARGEST = 1024 * 1024;
const DECIDES = /"[^"]*(permissions|dangerously)[^"]*":/i;

/** Undefined: there are none. Looks in the folder and those above it that belong to the same repository. */
export async function folderSettingsProblem(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    for (const name of FILES) {
      const path = join(at, '.amp', name);
      if (await mayDecide(path))
        return `${path} comes with the folder and may decide what Amp is allowed to do, past the rules of Holdpoint. Remove its permissions, or move it away, and start the run again.`;
    }
    if (dirname(at) === at || (await stat(join(at, '.git')).catch(() => undefined))) return undefined;
  }
}

/** A file that cannot be understood may. */
async function mayDecide(path: string): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > LARGEST) return true;
      const errors: ParseError[] = [];
      const value: unknown = parse(await file.readFile('utf8'), errors, { allowTrailingComma: true });
      return errors.length > 0 || DECIDES.test(JSON.stringify(value));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
