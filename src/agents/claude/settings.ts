// Lists what can be chosen for a run of Claude Code before it starts: its permission mode, and whether the settings of
// the work folder apply. Data only; `input.ts` judges what a run says.
import type { Setting } from '../../core/agent-description.ts';

const permissionMode = (value: string) => ({ value, input: { permission_mode: value } });

export const settings: Setting[] = [
  {
    name: 'permission_mode',
    label: 'Permission mode',
    choices: [
      {
        value: 'default',
        label: 'default: ask',
        means: 'You are asked before a file is changed or a command runs, unless its own settings allow that.',
        input: {},
      },
      {
        ...permissionMode('acceptEdits'),
        label: 'acceptEdits: edit unasked',
        means:
          'Files in the work folder are changed unasked, also by commands such as touch. For others you are asked.',
      },
      {
        ...permissionMode('plan'),
        label: 'plan: look first',
        means: 'It looks around, changes no file, and shows you a plan. When you allow the plan, it begins, and asks.',
      },
      {
        ...permissionMode('dontAsk'),
        label: 'dontAsk: refuse instead of asking',
        means: 'Nobody is asked: what its own settings do not allow is refused.',
      },
      {
        ...permissionMode('bypassPermissions'),
        label: 'bypassPermissions: do everything unasked',
        means: 'Every command and every change is made without asking anybody. Only its questions reach you.',
        is_open: true,
      },
    ],
  },
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
