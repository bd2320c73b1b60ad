// Describes OpenCode as an agent. Loads nothing else of this folder until it is used.
import type { Agent } from '../agent.ts';
import { program } from './program.ts';
import { settings } from './settings.ts';

export const opencode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  takes: 'text',
  recovery: 'resume',
  program,
  settings,
  run: async (context) => (await import('./run.ts')).runOpencode(context),
};
