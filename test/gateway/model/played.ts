// Plays a random sequence of steps on a gateway of its own, step by step against the model. A failure lists the steps
// before it, and the invariants must hold at the end.
import { expect, onTestFailed } from 'vitest';
import { type GatewayOptions, type OpenGateway, openGateway } from '../../support/gateway.ts';
import { adopt } from './compare.ts';
import { checkInvariants } from './invariants.ts';
import type { ModelState } from './model.ts';
import { type Beat, beginning, stepOf } from './step-sequences.ts';

const RUNS = Number(process.env.HOLDPOINT_MODEL_RUNS ?? 120);

/** How many sequences the test that calls it plays, and from which seed. A failure of any kind, also a timeout, prints the seed. */
export function seededRuns(): { numRuns: number; seed: number } {
  const seed = Number(process.env.HOLDPOINT_MODEL_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  onTestFailed(() => console.error(`To play it again: HOLDPOINT_MODEL_SEED=${seed} HOLDPOINT_MODEL_RUNS=${RUNS}`));
  return { numRuns: RUNS, seed };
}

/** What a test of so many sequences may take. */
export const modelTimeout = (msPerRun: number): number => 60_000 + RUNS * msPerRun;

export interface Played {
  open: OpenGateway;
  model: ModelState;
  /** Each step and its reply. */
  steps: string[];
}

export async function playedOn(
  options: GatewayOptions,
  recovery: number,
  play: (played: Played) => Promise<void>,
): Promise<void> {
  const open = await openGateway(options);
  const steps: string[] = [];
  try {
    await play({ open, model: await beginning(open, recovery), steps });
    await checkInvariants(open);
  } catch (error) {
    throw new Error(`${steps.join('\n')}\n${(error as Error).message}`, { cause: error });
  } finally {
    await open.close();
  }
}

/** One step after the other. `check`: what must be true after each. */
export async function playStory({ open, model, steps }: Played, story: Beat[], check = async () => {}): Promise<void> {
  for (const beat of story) {
    const step = stepOf(model, beat);
    if (!step) continue;
    const got = await step.call(open);
    steps.push(`${step.name} → ${got.code}`);
    expect(step.expect(model, got)).toContain(got.code);
    await adopt(model, open);
    await check();
  }
}
