// The real gateway against the model: random sequences of everything that agents, people and time can do. After each step
// both must agree; at the end the invariants must hold. A failure prints its seed and the shortest sequence that shows it.
// HOLDPOINT_MODEL_RUNS makes it run longer, HOLDPOINT_MODEL_SEED plays the same again.
// Covers: src/gateway/gateway.ts

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelState, realState } from './compare.ts';
import { modelTimeout, playedOn, playStory, seededRuns } from './played.ts';
import { stories } from './step-sequences.ts';

it(
  'agrees with the model after every step of a random sequence',
  async () => {
    await fc.assert(
      fc.asyncProperty(stories(60), fc.nat({ max: 2 }), (story, recovery) =>
        playedOn({}, recovery, (played) =>
          playStory(played, story, async () => expect(await realState(played.open)).toEqual(modelState(played.model))),
        ),
      ),
      seededRuns(),
    );
  },
  modelTimeout(1_000),
);
