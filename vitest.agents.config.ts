// The tests against real agents: run by `npm run test:agents`, three files at a time: the agents wait for the model, the
// server and each other most of the time.
import { defineConfig } from 'vitest/config';
import { HeaviestFirst } from './test/support/heaviest-first.ts';

export default defineConfig({
  test: {
    include: ['test/agents/real/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: HeaviestFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
