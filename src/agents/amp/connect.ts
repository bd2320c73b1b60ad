// Adds permission rules to the settings file of a person's own Amp that delegate to Holdpoint, and removes them. Pure: text in,
// text out. The rules come after the person's own, so what those allow or reject stays so; what Amp itself would allow or
// ask for these tools is asked here. Every change is parsed again: all other content must be unchanged.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ParseError, parse } from 'jsonc-parser';
import { z } from 'zod';
import type { ToolRule } from '../../core/tool-rules.ts';
import type { Connector, ConnectTarget } from '../agent.ts';
import { SettingsProblem } from '../kit/hooks-file.ts';
import { blankIn, namedTwice, putIn, takeOut } from '../kit/settings-json.ts';
import { permissionsFor, SHELLS } from './rules.ts';

const KEY = 'amp.permissions';
const DELEGATE = 'holdpoint-amp-delegate';
/** Tools that change something, run programs or send something out, also where Amp's built-in rules allow them. */
const TOOLS = [
  ...SHELLS,
  'edit_file',
  'create_file',
  'delete_file',
  'apply_patch',
  'undo_edit',
  'mcp__*',
  'reload_mcp',
  'load_plugin',
  'reload_plugins',
  'update_setting',
  'manage_secrets',
  'send_email',
  'gmail_write',
  'slack_write',
  'ship_thread_changes',
];

/** `holdpoint`: where the delegate asks. Amp passes it no arguments, and ignores members of a rule that it does not know. */
const Rule = z.looseObject({
  tool: z.string(),
  action: z.string(),
  to: z.string().optional(),
  holdpoint: z.looseObject({ url: z.string(), data: z.string() }).optional(),
});
type Rule = z.infer<typeof Rule>;
const Settings = z.looseObject({ [KEY]: z.array(Rule).optional() });

const isOurs = ({ action, to }: Rule): boolean => action === 'delegate' && to !== undefined && to.endsWith(DELEGATE);

/** The settings of one run: those of a connected Amp, with what rules say about whole tools. */
export function settingsWith(text: string, rules: readonly ToolRule[]): string {
  const { [KEY]: all = [], ...rest } = read(text);
  const [ours] = all.filter(isOurs);
  if (!ours) throw new SettingsProblem('It has no permission rules of Holdpoint.');
  const theirs = all.filter((rule) => !isOurs(rule));
  const compiled = permissionsFor(rules, theirs, (tool) => ({ ...ours, tool }));
  return JSON.stringify({ ...rest, [KEY]: [...compiled, ...all.filter(isOurs)] });
}

const isEmpty = (text: string | undefined): boolean => text === undefined || text.trim() === '';

function read(text: string | undefined): z.infer<typeof Settings> {
  if (text === undefined || isEmpty(text)) return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: false });
  if (errors.length > 0) throw new SettingsProblem(`It is no JSON (at character ${errors[0]?.offset}).`);
  const settings = Settings.safeParse(value);
  if (!settings.success)
    throw new SettingsProblem(`Its permissions are not as Amp documents them: ${z.prettifyError(settings.error)}`);
  if (namedTwice(text, []).includes(KEY)) throw new SettingsProblem(`It has "${KEY}" twice: leave one of them.`);
  return settings.data;
}

const rulesIn = (text: string | undefined): Rule[] => read(text)[KEY] ?? [];

const theirs = (text: string | undefined) => {
  const { [KEY]: rules = [], ...rest } = read(text);
  return [rest, rules.filter((rule) => !isOurs(rule))];
};

function checked(text: string, before: string | undefined, ours: number): string {
  if (rulesIn(text).filter(isOurs).length === ours && isDeepStrictEqual(theirs(text), theirs(before))) return text;
  throw new SettingsProblem(`It cannot be changed safely. By hand: ${BY_HAND}.`);
}

const BY_HAND = `take out every permission rule that delegates to ${DELEGATE}`;

function rulesFor({ program, url, data }: ConnectTarget): Rule[] {
  const to = join(dirname(program), DELEGATE);
  return TOOLS.map((tool) => ({ tool, action: 'delegate', to, holdpoint: { url, data } }));
}

export const connector: Connector = {
  folderVariable: 'AMP_SETTINGS_FILE',
  file: ({ AMP_SETTINGS_FILE, XDG_CONFIG_HOME, HOME }) =>
    AMP_SETTINGS_FILE || join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'amp', 'settings.json'),
  connected(text, target) {
    if (rulesIn(text).some(isOurs))
      throw new SettingsProblem('It has the permission rules of Holdpoint already: disconnect first.');
    const rules = rulesFor(target);
    const whole = text === undefined || isEmpty(text) ? '{}\n' : text;
    const changed =
      read(text)[KEY] === undefined
        ? putIn(whole, [], KEY, rules)
        : rules.reduce((next, rule) => putIn(next, [KEY], undefined, rule), whole);
    return checked(changed, text, rules.length);
  },
  disconnected(text, before = '{}') {
    let changed = text;
    for (let at = rulesIn(text).findLastIndex(isOurs); at >= 0; at = rulesIn(changed).findLastIndex(isOurs))
      changed = takeOut(changed, [KEY, at], blankIn(before, [KEY]));
    const { [KEY]: left, ...rest } = read(changed);
    if (left?.length === 0 && read(before)[KEY] === undefined) changed = takeOut(changed, [KEY], blankIn(before, []));
    if (isEmpty(before) && Object.keys(rest).length === 0 && !left?.length) return before;
    return checked(changed, text, 0);
  },
  isConnected: (text) => rulesIn(text).some(isOurs),
  shown: (text) => text,
  targets(text) {
    const [ours] = rulesIn(text).filter(isOurs);
    return ours?.holdpoint ? [{ url: ours.holdpoint.url, data: ours.holdpoint.data }] : [];
  },
  byHand: BY_HAND,
  needsToken: false,
  note: 'Amp asks here before it runs a command, changes a file or calls a tool of an MCP server, unless a rule of your own decides. Without an answer from here it does none of that.',
};
