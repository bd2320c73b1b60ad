// Puts the toy agent's hook into its settings file: the same file as other agents with hooks have.
import { join } from 'node:path';
import type { Connector } from '../../../src/agents/agent.ts';
import { type Owner, oursIn, readHooks, withOurs, withoutOurs } from '../../../src/agents/kit/hooks-file.ts';

const PATH = '/v1/hooks/toy';
const OWNER: Owner = {
  agent: 'Toy',
  isOurs: ({ url }) => url?.endsWith(PATH) === true,
  mark: `take out every hook whose url ends with ${PATH}`,
};
const ours = (text: string) => oursIn(readHooks(text, OWNER), OWNER);

export const connector: Connector = {
  folderVariable: 'TOY_HOME',
  file: (env) => join(env.TOY_HOME ?? env.HOME ?? '', 'toy.json'),
  needsToken: true,
  connected: (text, { url, token }) =>
    withOurs(text, OWNER, {
      Ask: { hooks: [{ type: 'http', url: `${url}${PATH}`, headers: { Authorization: `Bearer ${token}` } }] },
    }),
  disconnected: (text, before) => withoutOurs(text, OWNER, before),
  isConnected: (text) => ours(text).length > 0,
  shown: (text) => text.replaceAll(/hp_[\w-]+/g, '(its token)'),
  targets: (text) =>
    ours(text).map(({ url = '', headers = {} }) => ({
      url: url.slice(0, -PATH.length),
      token: String(headers.Authorization).replace('Bearer ', ''),
    })),
  byHand: OWNER.mark,
  note: 'The toy asks here too.',
};
