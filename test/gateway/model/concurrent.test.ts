// Concurrent steps: two to four steps are fired together, and every reply and the whole state afterwards must be what the
// model gives for some order of them. The seed decides in which order writes reach the store.
// Covers: src/gateway/gateway.ts

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../../src/core/ports.ts';
import type { OpenGateway } from '../../support/gateway.ts';
import { adopt, modelState, realState } from './compare.ts';
import { isLost, type ModelState } from './model.ts';
import { modelTimeout, type Played, playedOn, playStory, seededRuns } from './played.ts';
import { actions, type Beat, stepOf, stories } from './step-sequences.ts';
import type { Got, Step } from './steps.ts';

/** Beats that share their first numbers tend to choose the same ask or run. */
const volley: fc.Arbitrary<Beat[]> = fc
  .tuple(fc.array(actions, { minLength: 2, maxLength: 4 }), fc.boolean())
  .map(([beats, aimed]) =>
    aimed ? beats.map(([plan, numbers]) => [plan, [...aim(beats), ...numbers.slice(2)]]) : beats,
  );
const aim = (beats: Beat[]) => beats[0]?.[1].slice(0, 2) ?? [];

it(
  'equals the model for some order of the concurrent steps',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(stories(12), volley), { minLength: 1, maxLength: 5, size: 'max' }),
        fc.infiniteStream(fc.nat({ max: 3 })),
        fc.nat({ max: 2 }),
        (acts, delays, recovery) => {
          const pace: Pace = { delays, isJostling: false };
          return playedOn({ wrap: (store) => delayed(store, pace) }, recovery, async (played) => {
            for (const [before, together] of acts) {
              await playStory(played, before);
              pace.isJostling = true;
              played.model = await fire(played, together);
              pace.isJostling = false;
            }
          });
        },
      ),
      seededRuns(),
    );
  },
  modelTimeout(2_000),
);

/** Fires the steps together and returns the model of an order that explains the outcome. */
async function fire({ model, open, steps: played }: Played, beats: Beat[]): Promise<ModelState> {
  const steps = beats
    .map((beat) => stepOf(model, beat))
    .filter((s) => s !== undefined && !isExcluded(s, model)) as Step[];
  const gots = await Promise.all(steps.map((step) => step.call(open)));
  played.push(`together: ${steps.map((step, i) => `${step.name} → ${gots[i]?.code}`).join(' | ')}`);
  const real = await realState(open);
  const tries = await Promise.all(orders(steps.length).map((order) => explain(model, open, order, steps, gots)));
  const match = tries.find((tried) => tried.codesFit && isDeepEqual(modelState(tried.model), real));
  if (match) return match.model;
  const closest = tries.find((tried) => tried.codesFit);
  if (closest) expect(real).toEqual(modelState(closest.model));
  throw new Error('no order of these steps gives these replies');
}

/**
 * What the model cannot judge when it happens at once: see the steps. A claim ends what a lost worker held before it takes
 * a run, in a transaction of its own: what happens in between has no place in an order of whole steps.
 */
const isExcluded = ({ name }: Step, model: ModelState): boolean =>
  name.startsWith('createSession') ||
  name.includes('digest right') ||
  (name.startsWith('claim by') && model.runs.some(isLost));

async function explain(model: ModelState, open: OpenGateway, order: number[], steps: Step[], gots: Got[]) {
  const copy: ModelState = { ...structuredClone(model), isConcurrent: steps.length > 1 };
  const codesFit = order.every((i) => {
    const [step, got] = [steps[i], gots[i]];
    return step !== undefined && got !== undefined && step.expect(copy, got).includes(got.code);
  });
  delete copy.isConcurrent;
  await adopt(copy, open);
  return { model: copy, codesFit };
}

function orders(count: number): number[][] {
  if (count === 0) return [[]];
  return orders(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, place) => order.toSpliced(place, 0, count - 1)),
  );
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}

interface Pace {
  delays: fc.Stream<number>;
  isJostling: boolean;
}

/** Lets other calls overtake a write on its way to the store. */
function delayed(store: Store, pace: Pace): Store {
  return {
    reader: store.reader,
    read: (unit) => store.read(unit),
    async write(unit) {
      const turns = pace.isJostling ? (pace.delays.next().value ?? 0) : 0;
      for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      return store.write(unit);
    },
    onCommit: (wake) => store.onCommit(wake),
    shown: (seq) => store.shown(seq),
    close: () => store.close(),
  };
}
