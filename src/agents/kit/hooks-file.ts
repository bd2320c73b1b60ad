// Adds our hooks to an agent's JSON hooks file and removes them, in place. Pure: text in, text out. Refuses a file that does
// not match the schema, and parses every change again: all other content must be unchanged.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { shellQuote } from '../../node/shell-quote.ts';
import type { Connector, ConnectTarget } from '../agent.ts';
import { blankIn, type JSONPath, namedTwice, putIn, replaced, takeOut } from './settings-json.ts';

const Hook = z.looseObject({
  type: z.string(),
  url: z.string().optional(),
  command: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
});
const Group = z.looseObject({ hooks: z.array(Hook) });
const HooksFile = z.looseObject({ hooks: z.record(z.string(), z.array(Group)).optional() });
type Hook = z.infer<typeof Hook>;
type Group = z.infer<typeof Group>;
type HooksFile = z.infer<typeof HooksFile>;

/** The agent that the file belongs to, and how to recognise our hooks in it. */
export interface Owner {
  agent: string;
  isOurs(hook: Hook): boolean;
  /** The server that one of our hooks calls, with the token that it carries. */
  targetOf(hook: Hook): { url: string; token?: string };
  /** What to look for when the file must be edited by hand. */
  mark: string;
}

/** A hook that runs `holdpoint hook <agent>`. */
export function hookProgram(agent: string) {
  const call = ` hook ${agent} --url `;
  return {
    mark: call.trim(),
    command: ({ program, url, data }: ConnectTarget): string =>
      `${shellQuote(program)}${call}${shellQuote(url)} --data ${shellQuote(data)}`,
    isOurs: ({ type, command }: Hook): boolean => type === 'command' && command?.includes(call) === true,
    urlOf: ({ command = '' }: Hook): string =>
      command
        .slice(command.indexOf(call) + call.length)
        .replace(/ --data .*$/s, '')
        .replace(/^'(.*)'$/, '$1'),
  };
}

export class SettingsProblem extends Error {
  override name = 'SettingsProblem';
}

/** `groupsFor`: our hooks by event. May throw `SettingsProblem` where the settings would not let them be called. */
export function hooksConnector(
  owner: Owner,
  groupsFor: (target: ConnectTarget, settings: object) => Record<string, Group>,
): Pick<Connector, 'connected' | 'disconnected' | 'isConnected' | 'shown' | 'targets' | 'byHand'> {
  const oursIn = (text: string | undefined): Hook[] => {
    const settings = readHooks(text, owner);
    return pathsOfOurs(settings, owner).map((path) => placeOf(settings, path).hook);
  };
  return {
    connected(text, target) {
      const [ours] = oursIn(text);
      if (!ours) return withOurs(text, owner, groupsFor(target, readHooks(text, owner)));
      throw new SettingsProblem(
        `It has the hooks of Holdpoint already (${ours.url ?? ours.command}): disconnect first.`,
      );
    },
    disconnected: (text, before) => withoutOurs(text, owner, before),
    isConnected: (text) => oursIn(text).length > 0,
    shown: (text) => shownBriefly(text, owner).replaceAll(/Bearer hp_[\w-]+/g, 'Bearer (its token)'),
    targets(text) {
      const all = oursIn(text).map(owner.targetOf);
      return all.filter((target, i) => all.findIndex((other) => isDeepStrictEqual(other, target)) === i);
    },
    byHand: owner.mark,
  };
}

const BOM = '\uFEFF';

/** `text` is undefined where there is no file yet. */
export function readHooks(text: string | undefined, { agent }: Owner): HooksFile {
  if (text === undefined || text.trim() === '') return {};
  const plain = withoutMark(text);
  const value = parsed(plain);
  const settings = HooksFile.safeParse(value);
  if (!settings.success)
    throw new SettingsProblem(`Its hooks are not as ${agent} documents them: ${z.prettifyError(settings.error)}`);
  const places: JSONPath[] = [[], ...(settings.data.hooks ? [['hooks']] : [])];
  const [twice] = places.flatMap((path) =>
    namedTwice(plain, path).filter((name) => path.length > 0 || name === 'hooks'),
  );
  if (twice !== undefined) throw new SettingsProblem(`It has "${twice}" twice: leave one of them.`);
  return settings.data;
}

/** The text with these groups added, each after the existing groups of its event. */
export function withOurs(text: string | undefined, owner: Owner, added: Readonly<Record<string, Group>>): string {
  const before = readHooks(text, owner);
  const isEmpty = text === undefined || text.trim() === '';
  let changed = isEmpty ? '{}\n' : withoutMark(text);
  if (before.hooks === undefined) {
    const hooks = Object.fromEntries(Object.entries(added).map(([event, group]) => [event, [group]]));
    changed = putIn(changed, [], 'hooks', hooks);
  } else
    for (const [event, group] of Object.entries(added))
      changed = before.hooks[event]
        ? putIn(changed, ['hooks', event], undefined, group)
        : putIn(changed, ['hooks'], event, [group]);
  return checked(markedLike(text, changed), before, owner, Object.keys(added).length);
}

/** The text without our hooks. Containers that `connect` created are removed too, unless the text `before` had them. */
export function withoutOurs(text: string, owner: Owner, before = '{}'): string {
  const settings = readHooks(text, owner);
  const { hooks: theirs } = readHooks(before, owner);
  let changed = withoutMark(text);
  const take = (path: JSONPath) => {
    changed = takeOut(changed, path, blankIn(withoutMark(before), path.slice(0, -1)));
  };
  for (let [path] = pathsOfOurs(settings, owner); path; [path] = pathsOfOurs(parsed(changed), owner)) {
    const hooks = path.slice(0, 1);
    const event = path.slice(0, 2);
    const group = path.slice(0, 3);
    const isEventTheirs = theirs?.[String(event[1])] !== undefined;
    take(path);
    if (at(changed, path.slice(0, 4)).length === 0) take(group);
    if (!isEventTheirs && at(changed, event).length === 0) take(event);
    if (!theirs && Object.keys(at(changed, hooks)).length === 0) take(hooks);
  }
  if (before.trim() === '' && Object.keys(parsed(changed)).length === 0) return before;
  return checked(markedLike(text, changed), settings, owner, 0);
}

/** For display: hooks that equal the first of ours are shortened to their place and their timeout. */
export function shownBriefly(text: string, owner: Owner): string {
  const settings = readHooks(text, owner);
  const [first, ...others] = pathsOfOurs(settings, owner).map((path) => ({ path, ...placeOf(settings, path) }));
  const alike = others.filter(
    ({ group, hook }) =>
      isDeepStrictEqual({ ...group, hooks: [] }, { ...first?.group, hooks: [] }) &&
      isDeepStrictEqual({ ...hook, timeout: 0 }, { ...first?.hook, timeout: 0 }),
  );
  return alike.reverse().reduce((shown, { path, groups, group, hook }) => {
    const depth = group.hooks.length > 1 ? path.length : groups.length > 1 ? 3 : 2;
    return replaced(shown, path.slice(0, depth), `the same, timeout ${hook.timeout}`);
  }, withoutMark(text));
}

function placeOf({ hooks = {} }: HooksFile, [, event, g, , h]: JSONPath) {
  const groups = hooks[String(event)] as Group[];
  const group = groups[Number(g)] as Group;
  return { groups, group, hook: group.hooks[Number(h)] as Hook };
}

function checked(text: string, before: HooksFile, owner: Owner, ours: number): string {
  const after = readHooks(text, owner);
  const isRight = pathsOfOurs(after, owner).length === ours && isDeepStrictEqual(theirs(after), theirs(before));
  if (isRight) return text;
  throw new SettingsProblem(`It cannot be changed safely. By hand: ${owner.mark}.`);

  function theirs({ hooks = {}, ...rest }: HooksFile): unknown {
    const left = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) => {
        const others = group.hooks.filter((hook) => !owner.isOurs(hook));
        return others.length === 0 && group.hooks.length > 0 ? [] : [[event, { ...group, hooks: others }]];
      }),
    );
    return [rest, left];
  }
}

function pathsOfOurs({ hooks = {} }: HooksFile, { isOurs }: Owner): JSONPath[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group, g) =>
      group.hooks.flatMap((hook, h) => (isOurs(hook) ? [['hooks', event, g, 'hooks', h]] : [])),
    ),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the text was read with the schema before
const parsed = (text: string): any => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem(`It is no JSON (${(error as Error).message}).`);
  }
};

// biome-ignore lint/suspicious/noExplicitAny: likewise
const at = (text: string, path: JSONPath): any => path.reduce((value, key) => value[key], parsed(text));

const withoutMark = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);
const markedLike = (like: string | undefined, text: string): string => (like?.startsWith(BOM) ? BOM + text : text);
