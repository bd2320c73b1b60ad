// How the tests run: real processes and databases, so in forks, a few at a time, with room to start them.
// Limits are for a busy machine: nothing that works waits for them. Tests against real agents: vitest.agents.config.ts.

import { defineConfig } from 'vitest/config';
import { HeaviestFirst } from './test/support/heaviest-first.ts';

/** They leave nothing behind, so they share processes: loading the server takes longer than most tests of it. */
const LIGHT = ['core', 'gateway', 'server', 'web'].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the two cores of a small machine: each test waits for its processes half of the time.
    maxWorkers: 3,
    sequence: { sequencer: HeaviestFirst },
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: 'light', include: LIGHT, isolate: false } },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: ['test/**/*.test.ts'],
          exclude: [...LIGHT, 'test/agents/real/**', '**/node_modules/**'],
        },
      },
    ],
  },
});
