// Describes Amp as an agent. Loads nothing else of this folder until it is used.
import type { Agent } from '../agent.ts';
import { program } from './program.ts';

export const amp: Agent = {
  name: 'amp',
  title: 'Amp',
  takes: 'text',
  recovery: 'resume',
  program,
  settings: [],
  inputCheck: async () => (await import('./input.ts')).inputProblem,
  run: async (context) => (await import('./run.ts')).runAmp(context),
  attached: {
    connector: async () => (await import('./connect.ts')).connector,
    hookProcess: {
      decide: async (payload, open) => (await import('./hook.ts')).decide(payload, open),
      endAbandoned: async (client, call) => (await import('./hook.ts')).endAbandoned(client, call),
    },
  },
};
