// Where a client on this machine finds its server and its token when nobody said: the environment, then the state
// folder of the person. Reads; never makes a folder or a token.
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
  if (env.HOLDPOINT_TOKEN) return env.HOLDPOINT_TOKEN;
  const folder = stateFolder(env);
  for (const file of files) {
    const token = readIfThere(join(folder, file));
    if (token) return token;
  }
  throw new Error(
    `No token for Holdpoint: set HOLDPOINT_TOKEN, or start \`holdpoint serve\` once, which keeps one in ${folder}.`,
  );
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
