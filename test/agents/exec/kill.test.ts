// kill -9 of the server, of the worker, of both, and of a server with its built-in worker, while dispatches are at every step
// between start, question, answer and end: exactly one restart follows each answer, with the right input, never two programs
// at once, and no process or file is left. HOLDPOINT_KILL_ROUNDS asks for more rounds.
// Covers: src/agents/exec/run.ts
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endEverything } from '../../support/process.ts';
import { KillTestBed, type Life, VICTIMS } from './kill-test-bed.ts';

const ROUNDS = Number(process.env.HOLDPOINT_KILL_ROUNDS ?? 1);
const DISPATCHES = 10;
const EVERY_MS = 60;
const FIRST_INPUT = { a: 1 };
const CARRIED_ON = { a: 1, answer: 'blue', partial_state: { tried: ['red'] } };

afterAll(endEverything);

it.each(VICTIMS)(
  'restarts each dispatch exactly once with its answer after kill -9 of: %s',
  async (victim) => {
    const bed = await KillTestBed.build(victim);
    for (let round = 0; round < ROUNDS; round++) {
      const killAtMs = Math.round((0.5 + Math.random()) * DISPATCHES * EVERY_MS);
      const lives = await bed.live(DISPATCHES, EVERY_MS, killAtMs);
      for (const life of lives) expectOneRestart(life, `${victim} killed after ${killAtMs} ms`);
    }
    for (const folder of readdirSync(bed.folder)) {
      const left = readdirSync(join(bed.folder, folder), { recursive: true }).filter((name) => name !== 'draft');
      expect(left, left.join(' ')).toEqual(['began', 'program.sh']);
    }
    bed.close();
  },
  30_000 + ROUNDS * 30_000,
);

function expectOneRestart(life: Life, at: string): void {
  expect(life.runs, at).toMatchObject([
    { status: 'completed', outcome: 'needs_input' },
    { status: 'completed', resumes_run_id: life.runs[0]?.run_id },
  ]);
  expect(life, at).toMatchObject({ restarts: 1, deliveries: 1, overlaps: [], leftAlive: [] });
  const inputs = life.began.map((b) => JSON.parse(b.input));
  const first = inputs.findIndex((input) => 'answer' in input);
  expect(first, at).toBeGreaterThan(0);
  const carried = inputs.length - first;
  expect(inputs, at).toEqual([...Array(first).fill(FIRST_INPUT), ...Array(carried).fill(CARRIED_ON)]);
}
