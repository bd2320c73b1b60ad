// Adds Holdpoint's hook to the hooks file of a person's own Codex, and removes it. Pure: text in, text out.
import { join } from 'node:path';
import { shellQuote } from '../../node/shell-quote.ts';
import type { Connector, ConnectTarget } from '../agent.ts';
import {
  type Owner,
  oursIn,
  readHooks,
  SettingsProblem,
  shownBriefly,
  withOurs,
  withoutOurs,
} from '../kit/hooks-file.ts';
import { codexHome } from './socket-path.ts';

/** How long Codex waits for its hook before it asks at its own prompt. */
export const HOOK_SECONDS = 12 * 3600;
const EVENT = 'PermissionRequest';
const OURS = 'hook codex';

const OWNER: Owner = {
  agent: 'Codex',
  isOurs: ({ type, command }) => type === 'command' && command?.includes(` ${OURS} --url `) === true,
  mark: `take out every hook whose command has "${OURS} --url" in it`,
};

function connected(text: string | undefined, { program, url, data }: ConnectTarget): string {
  const [other] = oursIn(readHooks(text, OWNER), OWNER);
  if (other) throw new SettingsProblem(`It has the hook of Holdpoint already (${other.command}): disconnect first.`);
  const command = `${shellQuote(program)} ${OURS} --url ${shellQuote(url)} --data ${shellQuote(data)}`;
  const ours = { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'asking Holdpoint' };
  return withOurs(text, OWNER, { [EVENT]: { matcher: '*', hooks: [ours] } });
}

const disconnected = (text: string, before?: string): string => withoutOurs(text, OWNER, before);
const shown = (text: string): string => shownBriefly(text, OWNER);
const isConnected = (text: string): boolean => oursIn(readHooks(text, OWNER), OWNER).length > 0;

const targets = (text: string): { url: string }[] =>
  oursIn(readHooks(text, OWNER), OWNER).map(({ command = '' }) => ({
    url:
      command
        .split(` ${OURS} --url `)[1]
        ?.split(' --data ')[0]
        ?.replace(/^'(.*)'$/, '$1') ?? '',
  }));

export const connector: Connector = {
  folderVariable: 'CODEX_HOME',
  file: (env) => join(codexHome(env), 'hooks.json'),
  needsToken: false,
  connected,
  disconnected,
  isConnected,
  shown,
  targets,
  byHand: OWNER.mark,
  note: 'A Codex that shares its daemon asks here and at its prompt; the first answer counts. Others ask through the hook, here alone while it waits, once you have trusted it: the next Codex you start asks you to review it (or type /hooks).',
};
