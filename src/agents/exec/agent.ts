// Describes `exec`, the agent that runs any headless command as a dispatch.
import type { Agent } from '../agent.ts';

export const exec: Agent = {
  name: 'exec',
  title: 'A command',
  takes: 'command',
  recovery: 'replay',
  settings: [],
  run: async (context) => (await import('./run.ts')).runDispatch(context),
};
