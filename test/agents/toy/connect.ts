// Puts the toy agent's hook into its settings file: the same file as other agents with hooks have.
import { join } from 'node:path';
import type { Connector } from '../../../src/agents/agent.ts';
import { hooksConnector, type Owner } from '../../../src/agents/kit/hooks-file.ts';

const PATH = '/v1/hooks/toy';
const OWNER: Owner = {
  agent: 'Toy',
  isOurs: ({ url }) => url?.endsWith(PATH) === true,
  targetOf: ({ url = '', headers = {} }) => ({
    url: url.slice(0, -PATH.length),
    token: String(headers.Authorization).replace('Bearer ', ''),
  }),
  mark: `take out every hook whose url ends with ${PATH}`,
};

export const connector: Connector = {
  ...hooksConnector(OWNER, ({ url, token }) => ({
    Ask: { hooks: [{ type: 'http', url: `${url}${PATH}`, headers: { Authorization: `Bearer ${token}` } }] },
  })),
  folderVariable: 'TOY_HOME',
  file: (env) => join(env.TOY_HOME ?? env.HOME ?? '', 'toy.json'),
  needsToken: true,
  note: 'The toy asks here too.',
};
