// Promises in flight: a caller waits until none is left, whatever becomes of them.
import { expect, it } from 'vitest';
import { createInFlight } from '../../../src/agents/kit/in-flight.ts';

it('settles when nothing is in flight, including what was added meanwhile', async () => {
  const steps: string[] = [];
  const inFlight = createInFlight();
  const later = async (step: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(step);
  };
  await inFlight.settled();
  inFlight.add(later('first').then(() => inFlight.add(later('second'))));
  await inFlight.settled();
  expect(steps).toEqual(['first', 'second']);
});

it('settles although one has failed', async () => {
  const inFlight = createInFlight();
  inFlight.add(Promise.reject(new Error('refused')));
  await expect(inFlight.settled()).resolves.toBeUndefined();
});
