// Lists the known ACP agents as the choices of a run. Data only; `input.ts` validates the input of a run.
import type { Setting } from '../../core/agent-description.ts';
import { knownAgents } from './known-agents.ts';

export const settings: Setting[] = [
  {
    name: 'agent',
    label: 'Agent',
    choices: [
      {
        value: '',
        label: 'as its command line says',
        means: 'The program that `command` names. It has to speak the Agent Client Protocol.',
        input: {},
      },
      ...Object.entries(knownAgents).map(([value, { title, command }]) => ({
        value,
        label: `${value}: ${title}`,
        means: `Starts \`${command.join(' ')}\` on the worker's machine. When it asks is decided by its own settings.`,
        input: { agent: value },
      })),
    ],
  },
];
