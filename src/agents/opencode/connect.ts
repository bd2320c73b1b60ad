// Writes down which running OpenCode server Holdpoint is to follow, and its password, in a file of Holdpoint's own state
// folder; OpenCode's own settings stay as they are. Pure but for `check`, which calls that server.
import { join } from 'node:path';
import { z } from 'zod';
import { stateFolder } from '../../client/local.ts';
import type { Connector } from '../agent.ts';
import { SettingsProblem } from '../kit/hooks-file.ts';
import { parsedJson } from '../wire/json-rpc.ts';
import { connectionProblem, createApi, USER } from './api.ts';

const DEFAULT_URL = 'http://127.0.0.1:4096';
const CHECK_MS = 5000;

/** `holdpoint`: the Holdpoint server for which it was connected. */
const FollowedServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  user: z.string(),
  password: z.string().optional(),
  holdpoint: z.string(),
});

/** Throws `SettingsProblem`. */
export function readServer(text: string): z.infer<typeof FollowedServer> {
  const read = FollowedServer.safeParse(parsedJson(text));
  if (read.success) return read.data;
  throw new SettingsProblem(`It does not name an OpenCode server: ${z.prettifyError(read.error)}`);
}

/** Credentials in an address would be shown with it. One that cannot be parsed is refused by the schema. */
function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password, pathname, search } = new URL(url);
  return username === '' && password === '' && pathname === '/' && search === '';
}

const isNothing = (text: string | undefined): boolean => text === undefined || /^\s*(?:\{\s*\}\s*)?$/.test(text);

export const connector: Connector = {
  folderVariable: 'HOLDPOINT_DATA',
  file: (env) => join(stateFolder(env), 'opencode-server.json'),
  connected(text, { url: holdpoint, env = {} }) {
    if (text !== undefined && !isNothing(text))
      throw new SettingsProblem(`It names ${readServer(text).url} already: disconnect first.`);
    const { OPENCODE_URL: url = DEFAULT_URL, OPENCODE_SERVER_PASSWORD: password } = env;
    if (!isOrigin(url))
      throw new SettingsProblem(
        'OPENCODE_URL is an address such as http://127.0.0.1:4096, without a path; a user and a password go into OPENCODE_SERVER_USERNAME and OPENCODE_SERVER_PASSWORD.',
      );
    const server = { url, user: env.OPENCODE_SERVER_USERNAME || USER, ...(password && { password }), holdpoint };
    const written = `${JSON.stringify(server, undefined, 2)}\n`;
    readServer(written);
    return written;
  },
  disconnected: () => '{}\n',
  isConnected: (text) => !isNothing(text),
  shown: (text) => text.replace(/("password": ").*(",?)$/m, '$1(hidden)$2'),
  targets: (text) => (isNothing(text) ? [] : [{ url: readServer(text).holdpoint }]),
  byHand: 'remove this file',
  needsToken: false,
  note: 'What its sessions ask in any folder is asked there and here while a server or worker of this machine runs; the first answer counts.',
  async check(text) {
    const { url, user, password } = readServer(text);
    const signal = AbortSignal.timeout(CHECK_MS);
    return createApi({ url, user, password, signal })
      .check()
      .then(
        () => undefined,
        (error: unknown) => connectionProblem(url, error),
      );
  },
};
