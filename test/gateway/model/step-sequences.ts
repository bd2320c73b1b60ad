// Random stories for the model tests: which steps there are, how often each is tried, and how every story begins.
import fc from 'fast-check';
import { EPOCH, type OpenGateway } from '../../support/gateway.ts';
import * as agents from './agent-steps.ts';
import type { ModelState } from './model.ts';
import * as people from './people-steps.ts';
import { Picks, type Step } from './steps.ts';
import * as time from './time-steps.ts';

const PLANS = { ...agents, ...people, ...time };
type PlanName = keyof typeof PLANS;

const ACTIONS: Partial<Record<PlanName, number>> = {
  createSession: 1,
  startRun: 4,
  raise: 12,
  end: 2,
  acknowledge: 4,
  clarify: 5,
  mail: 3,
  claim: 4,
  lease: 2,
  answer: 10,
  see: 4,
  cancelQuestion: 2,
  message: 4,
  approve: 8,
  cancelRun: 2,
  interrupt: 2,
  endSession: 2,
};
const TIME: Partial<Record<PlanName, number>> = { advance: 3, late: 3, restart: 2 };

/** One thing that is tried, and the random numbers that say with what. */
export type Beat = [plan: PlanName, numbers: number[]];

// Only the story is shortened when it fails, not what each beat is about: that keeps the search short.
const numbers = fc.noShrink(fc.array(fc.nat({ max: 999 }), { minLength: 12, maxLength: 12 }));
const beatOf = (weights: Partial<Record<PlanName, number>>): fc.Arbitrary<Beat> =>
  fc.oneof(
    ...Object.entries(weights).map(([plan, weight]) => ({
      weight,
      arbitrary: numbers.map((list): Beat => [plan as PlanName, list]),
    })),
  );

export const actions = beatOf(ACTIONS);
export const stories = (maxLength: number): fc.Arbitrary<Beat[]> =>
  fc.array(beatOf({ ...ACTIONS, ...TIME }), { maxLength, size: 'max' });

export const stepOf = (model: ModelState, [plan, list]: Beat): Step | undefined => PLANS[plan](model, new Picks(list));

/** A parent whose program is the agent, a child and a grandchild that workers run; a run in each, two of them claimed. */
export async function beginning(open: OpenGateway, recovery: number): Promise<ModelState> {
  const model: ModelState = { now: EPOCH, sessions: [], runs: [], asks: [] };
  const first: Beat[] = [
    ['createSession', [1, 0, 0]],
    ['createSession', [0, 0, 1, 0]],
    ['createSession', [0, 0, 1, 1]],
    ...[0, 1, 2].map((n): Beat => ['startRun', [n]]),
    ['claim', [0, recovery]],
    ['claim', [1, recovery + 1]],
  ];
  for (const beat of first) {
    const step = stepOf(model, beat);
    if (step) step.expect(model, await step.call(open));
  }
  return model;
}
