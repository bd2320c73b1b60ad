// Describes a toy agent that exists for the tests alone: one folder, and one line in the registry (register.ts). It proves
// that nothing else has to change to add an agent.
import type { Agent } from '../../../src/agents/agent.ts';

export const toy: Agent = {
  name: 'toy',
  title: 'Toy agent',
  takes: 'text',
  recovery: 'resume',
  program: { command: 'toy', tested: '1.2.3', install: 'npm install -g toy' },
  settings: [
    {
      name: 'mood',
      label: 'Mood',
      choices: [
        { value: 'careful', label: 'careful: ask', means: 'It asks before every command.', input: {} },
        {
          value: 'bold',
          label: 'bold: ask nothing',
          means: 'It asks nothing.',
          is_open: true,
          input: { mood: 'bold' },
        },
      ],
    },
  ],
  run: async (context) => (await import('./run.ts')).runToy(context),
  attached: {
    connector: async () => (await import('./connect.ts')).connector,
    serveHooks: async (context) => (await import('./attach.ts')).serveHooks(context),
  },
};
