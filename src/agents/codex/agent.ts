// Describes Codex as an agent. Loads nothing else of this folder until it is used.
import { dirname } from 'node:path';
import type { Agent } from '../agent.ts';
import { program } from './program.ts';
import { settings } from './settings.ts';
import { daemonSocket } from './socket-path.ts';

export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  takes: 'text',
  reads_comments: ['managed', 'attached'],
  recovery: 'resume',
  program,
  settings,
  inputCheck: async () => (await import('./input.ts')).inputProblem,
  run: async (context) => (await import('./run.ts')).runCodex(context),
  attached: {
    connector: async () => (await import('./connect.ts')).connector,
    hookProcess: {
      decide: async (payload, open) => (await import('./hook.ts')).decide(payload, open),
      endAbandoned: async (client, call) => (await import('./hook.ts')).endAbandoned(client, call),
    },
    followed: {
      addressOf: (settingsFile) => daemonSocket(dirname(settingsFile)),
      follow: async (context) => (await import('./attach.ts')).followDaemon(context),
      gone: async (client, machine) => (await import('./attach.ts')).endAsksOf(client, machine),
    },
  },
};
