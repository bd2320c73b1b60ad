// The real gateway against the model: random sequences of everything that agents, people and time can do. After each step
// both must agree; at the end the invariants must hold. A failure prints its seed and the shortest sequence that shows it.
// HOLDPOINT_MODEL_RUNS makes it run longer.
// Covers: src/gateway/gateway.ts

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelState, realState } from './compare.ts';
import { playedOn, playStory } from './played.ts';
import { stories } from './step-sequences.ts';

const RUNS = Number(process.env.HOLDPOINT_MODEL_RUNS ?? 120);

it(
  'agrees with the model after every step of a random sequence',
  async () => {
    await fc.assert(
      fc.asyncProperty(stories(60), fc.nat({ max: 2 }), (story, recovery) =>
        playedOn({}, recovery, (played) =>
          playStory(played, story, async () => expect(await realState(played.open)).toEqual(modelState(played.model))),
        ),
      ),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1_000,
);
