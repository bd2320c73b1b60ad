// The settings file of a person's own Claude Code, with Holdpoint's hooks in it and without them. Pure: text in, text
// out. A file that is not understood is refused, never guessed at. What stands beside our hooks is left as it is.
import { z } from 'zod';

/** How long Claude Code waits for a person here before it goes on asking at its terminal alone. */
export const HOOK_SECONDS = 12 * 3600;
/** Hooks that only tell: a server that does not answer may not hold anybody up. */
const TELL_SECONDS = 2;
const PATH = '/v1/hooks/claude';

const EVENTS: Readonly<Record<string, number>> = {
  PermissionRequest: HOOK_SECONDS,
  PreToolUse: TELL_SECONDS,
  PostToolUse: TELL_SECONDS,
  PostToolUseFailure: TELL_SECONDS,
  UserPromptSubmit: TELL_SECONDS,
  Stop: TELL_SECONDS,
  SubagentStop: TELL_SECONDS,
  SessionEnd: TELL_SECONDS,
};

const Hook = z.looseObject({ type: z.string(), url: z.string().optional() });
const Group = z.looseObject({ hooks: z.array(Hook) });
const Settings = z.looseObject({
  hooks: z.record(z.string(), z.array(Group)).optional(),
  disableAllHooks: z.boolean().optional(),
  allowedHttpHookUrls: z.array(z.string()).optional(),
});
type Settings = z.infer<typeof Settings>;

export interface HookDoor {
  url: string;
  token: string;
}

class SettingsProblem extends Error {
  override name = 'SettingsProblem';
}

/** `text` is undefined where there is no file yet. */
export function connected(text: string | undefined, door: HookDoor): string {
  const settings = read(text);
  if (isConnected(settings)) throw new SettingsProblem('It has the hooks of Holdpoint already: disconnect first.');
  if (settings.disableAllHooks) throw new SettingsProblem('It says disableAllHooks: hooks would not be called.');
  if (settings.allowedHttpHookUrls)
    throw new SettingsProblem(`It has a list allowedHttpHookUrls: add "${door.url}/*" to it first, or take it out.`);
  const hooks = { ...settings.hooks };
  for (const [event, timeout] of Object.entries(EVENTS))
    hooks[event] = [...(hooks[event] ?? []), { hooks: [hookOf(door, timeout)] }];
  return write({ ...settings, hooks }, text);
}

/** The same file without our hooks, for when it was changed since and cannot be put back as it was. */
export function disconnected(text: string): string {
  const settings = read(text);
  const hooks = Object.entries(settings.hooks ?? {}).flatMap(([event, groups]) => {
    const left = groups.flatMap((group) => {
      const others = group.hooks.filter((hook) => !isOurs(hook));
      return others.length === 0 ? [] : [{ ...group, hooks: others }];
    });
    return left.length === 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...rest } = settings;
  return write(hooks.length === 0 ? rest : { ...settings, hooks: Object.fromEntries(hooks) }, text);
}

export const hasHooks = (text: string): boolean => isConnected(read(text));

/** A failure is never an answer: Claude Code then asks at its terminal, as without the hook. */
const hookOf = ({ url, token }: HookDoor, timeout: number) => ({
  type: 'http',
  url: `${url}${PATH}`,
  timeout,
  onFailure: 'continue',
  headers: { Authorization: `Bearer ${token}`, 'Holdpoint-Run': '$HOLDPOINT_RUN_ID' },
  allowedEnvVars: ['HOLDPOINT_RUN_ID'],
});

const isOurs = ({ type, url }: z.infer<typeof Hook>): boolean => type === 'http' && url?.endsWith(PATH) === true;
const isConnected = ({ hooks = {} }: Settings): boolean =>
  Object.values(hooks)
    .flat()
    .some((group) => group.hooks.some(isOurs));

function read(text: string | undefined): Settings {
  if (text === undefined || text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem(`It is no JSON (${(error as Error).message}).`);
  }
  const settings = Settings.safeParse(value);
  // As it stands in the file: a parsed copy has its keys in another order.
  if (settings.success) return value as Settings;
  throw new SettingsProblem(`Its hooks are not as Claude Code documents them: ${z.prettifyError(settings.error)}`);
}

/** In the style of the file: its indentation, its line ends, its last line break. */
function write(settings: Settings, like: string | undefined): string {
  const indent = /^[{[]\r?\n([\t ]+)\S/.exec(like ?? '')?.[1] ?? '  ';
  const text = JSON.stringify(settings, undefined, indent);
  const ended = like === undefined || /\n\s*$/.test(like) || like.trim() === '' ? `${text}\n` : text;
  return like?.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended;
}
