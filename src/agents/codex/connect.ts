// Adds Holdpoint's hook to the hooks file of a person's own Codex, and removes it. Pure: text in, text out.
import { join } from 'node:path';
import { shellQuote } from '../../node/shell-quote.ts';
import type { Connector } from '../agent.ts';
import { hooksConnector, type Owner } from '../kit/hooks-file.ts';
import { codexHome } from './socket-path.ts';

/** How long Codex waits for its hook before it asks at its own prompt. */
export const HOOK_SECONDS = 12 * 3600;
const OURS = 'hook codex';
const URL = /^.*? hook codex --url (.*?)(?: --data .*)?$/s;

const OWNER: Owner = {
  agent: 'Codex',
  isOurs: ({ type, command }) => type === 'command' && command?.includes(` ${OURS} --url `) === true,
  targetOf: ({ command = '' }) => ({ url: (URL.exec(command)?.[1] ?? '').replace(/^'(.*)'$/, '$1') }),
  mark: `take out every hook whose command has "${OURS} --url" in it`,
};

export const connector: Connector = {
  ...hooksConnector(OWNER, ({ program, url, data }) => {
    const command = `${shellQuote(program)} ${OURS} --url ${shellQuote(url)} --data ${shellQuote(data)}`;
    const ours = { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'asking Holdpoint' };
    return { PermissionRequest: { matcher: '*', hooks: [ours] } };
  }),
  folderVariable: 'CODEX_HOME',
  file: (env) => join(codexHome(env), 'hooks.json'),
  needsToken: false,
  note: 'A Codex that shares its daemon asks here and at its prompt; the first answer counts. Others ask through the hook, here alone while it waits, once you have trusted it: the next Codex you start asks you to review it (or type /hooks).',
};
