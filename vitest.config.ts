// How the tests run: real processes and databases, so in forks, a few at a time, with room to start them.
// Limits are for a busy machine: nothing that works waits for them. Tests against real agents: vitest.agents.config.ts.

import { defineConfig } from 'vitest/config';
import { HeaviestFirst } from './test/support/heaviest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/agents/**', '**/node_modules/**'],
    pool: 'forks',
    // One more than the two cores of a small machine: each test waits for its processes half of the time.
    maxWorkers: 3,
    sequence: { sequencer: HeaviestFirst },
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
