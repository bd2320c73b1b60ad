// The tests against real agents: run by `npm run test:agents`, two files at a time: the agents are big, and
// wait for the model, the server and each other most of the time.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/agents/real/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
