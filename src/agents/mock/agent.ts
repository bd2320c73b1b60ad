// Describes the scripted agent that ships with the product: for `holdpoint demo`, the tests and first steps.
import type { Agent } from '../agent.ts';

export const mock: Agent = {
  name: 'mock',
  title: 'Mock agent',
  takes: 'text',
  reads_comments: ['managed'],
  recovery: 'resume',
  settings: [],
  demo: { title: 'Demo', input: { text: 'make the test suite pass again' } },
  run: async (context) => (await import('./run.ts')).runMock(context),
};
