// The JSON file in which an agent keeps its hooks, as Claude Code and Codex both write it: read, changed and written again
// in the style it has. Pure: text in, text out. A file that is not understood is refused, never guessed at; what stands
// beside our hooks is left as it is.
import { z } from 'zod';

const Hook = z.looseObject({ type: z.string(), url: z.string().optional(), command: z.string().optional() });
const Group = z.looseObject({ hooks: z.array(Hook) });
const HooksFile = z.looseObject({ hooks: z.record(z.string(), z.array(Group)).optional() });
export type Hook = z.infer<typeof Hook>;
export type HooksFile = z.infer<typeof HooksFile>;
type IsOurs = (hook: Hook) => boolean;

export class SettingsProblem extends Error {
  override name = 'SettingsProblem';
}

/** `text` is undefined where there is no file yet. */
export function readHooks(text: string | undefined, agent: string): HooksFile {
  if (text === undefined || text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem(`It is no JSON (${(error as Error).message}).`);
  }
  const settings = HooksFile.safeParse(value);
  // The value itself: its members keep their order.
  if (settings.success) return value as HooksFile;
  throw new SettingsProblem(`Its hooks are not as ${agent} documents them: ${z.prettifyError(settings.error)}`);
}

export const hasOurs = ({ hooks = {} }: HooksFile, isOurs: IsOurs): boolean =>
  Object.values(hooks)
    .flat()
    .some((group) => group.hooks.some(isOurs));

/** The same without our hooks; groups and events that are empty then go too. */
export function withoutOurs(settings: HooksFile, isOurs: IsOurs): HooksFile {
  const hooks = Object.entries(settings.hooks ?? {}).flatMap(([event, groups]) => {
    const left = groups.flatMap((group) => {
      const others = group.hooks.filter((hook) => !isOurs(hook));
      return others.length === 0 ? [] : [{ ...group, hooks: others }];
    });
    return left.length === 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...rest } = settings;
  return hooks.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(hooks) };
}

/** In the style of the file: its indentation, its line ends, its last line break. */
export function writeLike(settings: HooksFile, like: string | undefined): string {
  const indent = /^[{[]\r?\n([\t ]+)\S/.exec(like ?? '')?.[1] ?? '  ';
  const text = JSON.stringify(settings, undefined, indent);
  const ended = like === undefined || /\n\s*$/.test(like) || like.trim() === '' ? `${text}\n` : text;
  return like?.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended;
}
