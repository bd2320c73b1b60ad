// How the tests run: real processes and databases, so in forks, two at a time, with room to start them.
// Limits are for a busy machine: nothing that works waits for them. Tests against real agents: vitest.agents.config.ts.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/agents/**', '**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
