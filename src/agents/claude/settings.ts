// Lists what can be chosen for a run of Claude Code before it starts: its permission mode, and whether the settings of
// the work folder apply. Data only; `input.ts` validates the input of a run.
import type { Setting } from '../../core/agent-description.ts';
import type { ClaudeSpec } from './input.ts';

const MODES: Record<NonNullable<ClaudeSpec['mode']>, string> = {
  default: 'ask',
  acceptEdits: 'edit without asking',
  plan: 'plan first',
  dontAsk: 'refuse instead of asking',
  bypassPermissions: 'never ask',
};
const MEANINGS: typeof MODES = {
  default: 'You are asked before a file is changed or a command runs, unless its own settings allow that.',
  acceptEdits:
    'Edits files in the work folder without asking, also with commands such as touch. Asks before it changes others.',
  plan: 'Reads, changes no file, and shows you a plan. If you approve it, Claude Code starts, and asks as it does by default.',
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
    label: 'Trust this folder’s hooks and MCP servers',
    choices: [
      {
        value: 'true',
        label: 'yes',
        means: 'Starts the hooks, MCP servers and agents that the folder defines for Claude Code, without asking.',
        input: {},
      },
      {
        value: 'false',
        label: 'no',
        means: 'Ignores the settings, hooks, MCP servers and agents that the folder defines for Claude Code.',
        input: { trust_folder: false },
      },
    ],
  },
];
