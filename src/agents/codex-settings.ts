// The hooks file of a person's own Codex, with Holdpoint's hook in it and without it. Pure: text in, text out.
import { type Hook, hasOurs, readHooks, SettingsProblem, withoutOurs, writeLike } from './hooks-file.ts';
import { shellWord } from './wire/shell-word.ts';

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

export function connected(text: string | undefined, { program, url, data }: HookProgram): string {
  const settings = readHooks(text, 'Codex');
  if (hasOurs(settings, isOurs)) throw new SettingsProblem('It has the hook of Holdpoint already: disconnect first.');
  const command = `${shellWord(program)} ${OURS} --url ${shellWord(url)} --data ${shellWord(data)}`;
  const ours = { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'asking Holdpoint' };
  const groups = [...(settings.hooks?.[EVENT] ?? []), { matcher: '*', hooks: [ours] }];
  return writeLike({ ...settings, hooks: { ...settings.hooks, [EVENT]: groups } }, text);
}

export const disconnected = (text: string): string => writeLike(withoutOurs(readHooks(text, 'Codex'), isOurs), text);
export const isConnected = (text: string): boolean => hasOurs(readHooks(text, 'Codex'), isOurs);

const isOurs = ({ type, command }: Hook): boolean =>
  type === 'command' && command?.includes(` ${OURS} --url `) === true;
