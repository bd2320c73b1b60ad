// The name under which this program is called at this terminal, so that the commands we suggest can be copied as they are.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const launcher = fileURLToPath(new URL('../../bin/holdpoint', import.meta.url));

export function programName(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): string {
  if (env.npm_command === 'exec') return 'npx holdpoint';
  if (isOnPath(env.PATH ?? '')) return 'holdpoint';
  const path = relative(cwd, launcher);
  return path.startsWith('..') ? launcher : `./${path}`;
}

function isOnPath(path: string): boolean {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, 'holdpoint'))
    .find((file) => existsSync(file));
  return found !== undefined && existsSync(launcher) && realpathSync(found) === realpathSync(launcher);
}
