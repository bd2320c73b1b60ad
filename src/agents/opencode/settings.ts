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
        means:
          "What the OpenCode configuration on the worker's machine says; without one, it does everything without asking.",
        is_open: true,
        input: { permissions: 'configured' },
      },
    ],
  },
  {
    name: 'trust_folder',
    label: 'Trust this folder’s plugins and MCP servers',
    choices: [
      {
        value: 'true',
        label: 'yes',
        means:
          'Starts and applies the plugins, MCP servers, agents and settings that the folder defines for OpenCode, without asking.',
        input: {},
      },
      {
        value: 'false',
        label: 'no',
        means: 'Ignores the settings, plugins, MCP servers and agents that the folder defines for OpenCode.',
        input: { trust_folder: false },
      },
    ],
  },
];
