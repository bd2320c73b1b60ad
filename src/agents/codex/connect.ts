// The hooks file of a person's own Codex, with Holdpoint's hook in it and without it. Pure: text in, text out.
import {
  type Owner,
  oursIn,
  readHooks,
  SettingsProblem,
  shownBriefly,
  withOurs,
  withoutOurs,
} from '../kit/hooks-file.ts';
import { shellWord } from '../wire/shell-words.ts';

/** How long Codex waits for a person here before it asks at its own prompt. */
export const HOOK_SECONDS = 12 * 3600;
const EVENT = 'PermissionRequest';
const OURS = 'hook codex';

export interface HookProgram {
  /** The command line program, the server it is to ask, and the state folder in which it finds its token. */
  program: string;
  url: string;
  data: string;
}

const OWNER: Owner = {
  agent: 'Codex',
  isOurs: ({ type, command }) => type === 'command' && command?.includes(` ${OURS} --url `) === true,
  mark: `take out every hook whose command has "${OURS} --url" in it`,
};

export function connected(text: string | undefined, { program, url, data }: HookProgram): string {
  const [other] = oursIn(readHooks(text, OWNER), OWNER);
  if (other) throw new SettingsProblem(`It has the hook of Holdpoint already (${other.command}): disconnect first.`);
  const command = `${shellWord(program)} ${OURS} --url ${shellWord(url)} --data ${shellWord(data)}`;
  const ours = { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'asking Holdpoint' };
  return withOurs(text, OWNER, { [EVENT]: { matcher: '*', hooks: [ours] } });
}

export const disconnected = (text: string, before?: string): string => withoutOurs(text, OWNER, before);
export const shown = (text: string): string => shownBriefly(text, OWNER);
export const isConnected = (text: string): boolean => oursIn(readHooks(text, OWNER), OWNER).length > 0;
export const { mark } = OWNER;

export const doors = (text: string): { url: string }[] =>
  oursIn(readHooks(text, OWNER), OWNER).map(({ command = '' }) => ({
    url:
      command
        .split(` ${OURS} --url `)[1]
        ?.split(' --data ')[0]
        ?.replace(/^'(.*)'$/, '$1') ?? '',
  }));
