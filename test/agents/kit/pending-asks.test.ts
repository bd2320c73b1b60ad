// One ask that an agent waits for: what the server is told of it, at whatever moment it is taken back.
import { expect, it } from 'vitest';
import { createOpenAsk } from '../../../src/agents/kit/pending-asks.ts';

function scene(isAnswered = false) {
  const steps: string[] = [];
  const ask = createOpenAsk(
    {
      async withdraw(askId, why) {
        steps.push(`${askId} withdrawn: ${why}`);
        if (isAnswered) throw new Error('it was answered');
      },
      markUndeliverable: async (askId, why) => void steps.push(`${askId} given up: ${why}`),
    },
    (askId) => steps.push(`${askId} raised`),
  );
  return { ask, steps };
}

it('is taken back once, and waited for no longer', async () => {
  const { ask, steps } = scene();
  ask.manner.raised('ask');
  expect([ask.isTakenBack(), ask.manner.signal.aborted]).toEqual([false, false]);
  ask.takeBack('settled there');
  ask.takeBack('settled once more');
  await ask.told();
  expect([ask.isTakenBack(), ask.manner.signal.aborted]).toEqual([true, true]);
  expect(steps).toEqual(['ask raised', 'ask withdrawn: settled there']);
});

it('is taken back as soon as it has a name, when it was taken back before; and so is what is asked in its place', async () => {
  const { ask, steps } = scene();
  ask.takeBack('settled there');
  await ask.told();
  expect([ask.manner.signal.aborted, steps]).toEqual([false, []]);
  ask.manner.raised('ask');
  ask.manner.raised('again');
  await ask.told();
  expect(steps).toEqual([
    'ask raised',
    'ask withdrawn: settled there',
    'again raised',
    'again withdrawn: settled there',
  ]);
});

it('gives up the answer that was given at the same moment', async () => {
  const { ask, steps } = scene(true);
  ask.manner.raised('ask');
  ask.takeBack('settled there');
  await ask.told();
  expect(steps).toEqual(['ask raised', 'ask withdrawn: settled there', 'ask given up: settled there']);
});

it('is left as it is when the process is gone', async () => {
  const { ask, steps } = scene();
  ask.manner.raised('ask');
  ask.leave();
  await ask.told();
  expect([ask.isTakenBack(), ask.manner.signal.aborted, steps]).toEqual([false, true, ['ask raised']]);
});
