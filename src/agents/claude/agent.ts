// Describes Claude Code as an agent. Loads nothing else of this folder until it is used.
import type { Agent } from '../agent.ts';
import { program } from './program.ts';
import { settings } from './settings.ts';

export const claude: Agent = {
  name: 'claude',
  title: 'Claude Code',
  takes: 'text',
  reads_comments: ['managed'],
  recovery: 'resume',
  program,
  settings,
  inputCheck: async () => (await import('./input.ts')).inputProblem,
  run: async (context) => (await import('./run.ts')).runClaude(context),
  runtime: async () => (await import('./runtime.ts')).claudeRuntime,
  attached: {
    connector: async () => (await import('./connect.ts')).connector,
    hookProcess: {
      decide: async (payload, open) => (await import('./hook.ts')).decide(payload, open),
      endAbandoned: async (client, call) => (await import('./hook.ts')).endAbandoned(client, call),
    },
    serveHooks: async (context) => (await import('./attach.ts')).serveHooks(context),
  },
};
