// Describes OpenCode as an agent. Loads nothing else of this folder until it is used.
import type { Agent } from '../agent.ts';
import { program } from './program.ts';
import { settings } from './settings.ts';

export const opencode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  takes: 'text',
  reads_comments: ['managed', 'attached'],
  recovery: 'resume',
  program,
  settings,
  inputCheck: async () => (await import('./input.ts')).inputProblem,
  run: async (context) => (await import('./run.ts')).runOpencode(context),
  attached: {
    connector: async () => (await import('./connect.ts')).connector,
    followed: {
      addressOf: async (settingsFile) => (await import('./attach.ts')).addressOf(settingsFile),
      follow: async (context) => (await import('./attach.ts')).followServer(context),
      gone: async (client, machine) => (await import('./attach.ts')).endAsksOf(client, machine),
    },
  },
};
