// The real gateway against the model: random sequences of everything that agents, people and time can do. After each step
// both must agree; at the end the invariants must hold. A failure prints its seed and the shortest sequence that shows it.
// HOLDPOINT_MODEL_RUNS makes it run longer.
// Covers: src/gateway/gateway.ts

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type OpenGateway, openGateway } from '../../support/gateway.ts';
import { adopt, modelState, realState } from './compare.ts';
import { checkInvariants } from './invariants.ts';
import type { ModelState } from './model.ts';
import { beginning, stepOf, stories } from './step-sequences.ts';

const RUNS = Number(process.env.HOLDPOINT_MODEL_RUNS ?? 120);

it(
  'agrees with the model after every step of a random sequence',
  async () => {
    await fc.assert(
      fc.asyncProperty(stories(60), fc.nat({ max: 2 }), async (story, recovery) => {
        const open = await openGateway();
        const told: string[] = [];
        try {
          const model = await beginning(open, recovery);
          for (const beat of story) {
            const step = stepOf(model, beat);
            if (!step) continue;
            const got = await step.call(open);
            told.push(`${step.name} → ${got.code}`);
            await settleStep(model, open, step.expect(model, got), got.code);
          }
          await checkInvariants(open);
        } catch (error) {
          throw new Error(`${told.join('\n')}\n${(error as Error).message}`, { cause: error });
        } finally {
          await open.close();
        }
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1_000,
);

async function settleStep(model: ModelState, open: OpenGateway, right: string[], code: string): Promise<void> {
  expect(right).toContain(code);
  await adopt(model, open);
  expect(await realState(open)).toEqual(modelState(model));
}
