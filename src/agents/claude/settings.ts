// Lists what can be chosen for a run of Claude Code before it starts: its permission mode, and whether the settings of
// the work folder apply. Data only; `input.ts` validates the input of a run.
import type { Setting } from '../../core/agent-description.ts';
import type { ClaudeSpec } from './input.ts';

const MODES: Record<NonNullable<ClaudeSpec['mode']>, string> = {
  default: 'ask',
  acceptEdits: 'edit unasked',
  plan: 'look first',
  dontAsk: 'refuse instead of asking',
  bypassPermissions: 'do everything unasked',
};
const MEANINGS: typeof MODES = {
  default: 'You are asked before a file is changed or a command runs, unless its own settings allow that.',
  acceptEdits:
    'Files in the work folder are changed unasked, also by commands such as touch. For others you are asked.',
  plan: 'It looks around, changes no file, and shows you a plan. When you allow the plan, it begins, and asks.',
  dontAsk: 'Nobody is asked: what its own settings do not allow is refused.',
  bypassPermissions: 'Every command and every change is made without asking anybody. Only its questions reach you.',
};

const modeOf = ([value, label]: [string, string]): Setting['choices'][number] => ({
  value,
  label: `${value}: ${label}`,
  means: MEANINGS[value as keyof typeof MODES],
  ...(value === 'bypassPermissions' && { is_open: true }),
  input: value === 'default' ? {} : { permission_mode: value },
});

export const settings: Setting[] = [
  { name: 'permission_mode', label: 'Permission mode', choices: Object.entries(MODES).map(modeOf) },
  {
    name: 'trust_folder',
    label: 'Trust what the folder brings along',
    choices: [
      {
        value: 'true',
        label: 'yes',
        means: 'Its own hooks, MCP servers and agents for Claude Code are started unasked.',
        input: {},
      },
      {
        value: 'false',
        label: 'no',
        means: 'None of its own settings, hooks, MCP servers and agents for Claude Code is read.',
        input: { trust_folder: false },
      },
    ],
  },
];
