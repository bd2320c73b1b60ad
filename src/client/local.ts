// Finds the server and the token for a client on this machine that was given none: the environment, then the state
// folder of the person. Reads only; never creates a folder or a token.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';

const DEFAULT_PORT = 4777;

export const stateFolder = (env: NodeJS.ProcessEnv): string =>
  env.HOLDPOINT_DATA || envPaths('holdpoint', { suffix: '' }).data;

export const serverUrl = (env: NodeJS.ProcessEnv): string =>
  env.HOLDPOINT_URL || `http://127.0.0.1:${env.HOLDPOINT_PORT || DEFAULT_PORT}`;

/** The first token there is: the environment's, then the kept ones in the order given. */
export function findToken(env: NodeJS.ProcessEnv, files: readonly string[]): string {
  const folder = stateFolder(env);
  const token = env.HOLDPOINT_TOKEN || keptToken(folder, files);
  if (token) return token;
  throw new Error(
    `No token for Holdpoint: set HOLDPOINT_TOKEN, or start \`holdpoint serve\` once, which keeps one in ${folder}.`,
  );
}

/** The first that is kept in the folder. */
export const keptToken = (folder: string, files: readonly string[]): string | undefined =>
  files.map((file) => readIfThere(join(folder, file))).find(Boolean);

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
