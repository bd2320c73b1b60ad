// Describes `acp`, the agent that runs any program which speaks the Agent Client Protocol. Loads nothing else until it runs.
import type { Agent } from '../agent.ts';
import { settings } from './settings.ts';

export const acp: Agent = {
  name: 'acp',
  title: 'ACP agent',
  takes: 'text',
  reads_comments: ['managed'],
  recovery: 'resume',
  settings,
  inputCheck: async () => (await import('./input.ts')).inputProblem,
  run: async (context) => (await import('./run.ts')).runAcp(context),
  editorProxy: async () => (await import('./proxy.ts')).proxies,
};
