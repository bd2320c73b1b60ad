// Adds Holdpoint's hook to the hooks file of a person's own Codex, and removes it. Pure: text in, text out.
import { join } from 'node:path';
import type { Connector } from '../agent.ts';
import { hookProgram, hooksConnector, type Owner } from '../kit/hooks-file.ts';
import { codexHome } from './socket-path.ts';

/** How long Codex waits for its hook before it asks at its own prompt. */
export const HOOK_SECONDS = 12 * 3600;
const hook = hookProgram('codex');

const OWNER: Owner = {
  agent: 'Codex',
  isOurs: hook.isOurs,
  targetOf: (ours) => ({ url: hook.urlOf(ours) }),
  mark: `take out every hook whose command has "${hook.mark}" in it`,
};

export const connector: Connector = {
  ...hooksConnector(OWNER, (target) => {
    const ours = {
      type: 'command',
      command: hook.command(target),
      timeout: HOOK_SECONDS,
      statusMessage: 'asking Holdpoint',
    };
    return { PermissionRequest: { matcher: '*', hooks: [ours] } };
  }),
  folderVariable: 'CODEX_HOME',
  file: (env) => join(codexHome(env), 'hooks.json'),
  needsToken: false,
  note: 'A Codex that shares its daemon asks here and at its prompt; the first answer counts. Others ask through the hook, here alone while it waits, once you have trusted it: the next Codex you start asks you to review it (or type /hooks).',
};
