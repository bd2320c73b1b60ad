// Lists what can be chosen for a run of OpenCode before it starts: when it asks, and whether the settings of the work
// folder apply. Data only; `input.ts` validates the input of a run.
import type { Setting } from '../../core/agent-description.ts';

export const settings: Setting[] = [
  {
    name: 'permissions',
    label: 'Permissions',
    choices: [
      {
        value: 'ask',
        label: 'ask: before it acts',
        means:
          'You are asked before a command runs, a file is changed or a page is fetched, unless a pattern of its configuration allows it.',
        input: {},
      },
      {
        value: 'configured',
        label: 'configured: as its own configuration says',
        means: "What the OpenCode configuration on the worker's machine says; without one, everything is done unasked.",
        is_open: true,
        input: { permissions: 'configured' },
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
        means: 'Its own plugins, MCP servers, agents and settings for OpenCode are started and used unasked.',
        input: {},
      },
      {
        value: 'false',
        label: 'no',
        means: 'None of its own settings, plugins, MCP servers and agents for OpenCode is read.',
        input: { trust_folder: false },
      },
    ],
  },
];
