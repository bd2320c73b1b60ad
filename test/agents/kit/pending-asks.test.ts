// The registry of asks that an agent waits for: what the server is told whenever one is withdrawn, and what counts as
// unanswered when the agent's process ends.
import { expect, it } from 'vitest';
import { createPendingAsks } from '../../../src/agents/kit/pending-asks.ts';

function testBed(isAnswered = false) {
  const steps: string[] = [];
  const asks = createPendingAsks<string, object>({
    async withdraw(askId, reason) {
      steps.push(`${askId} withdrawn: ${reason}`);
      if (isAnswered) throw new Error('it was answered');
    },
    markUndeliverable: async (askId, reason) => void steps.push(`${askId} undeliverable: ${reason}`),
  });
  const ask = asks.open('key', {}, (askId) => steps.push(`${askId} raised`));
  return { asks, ask, steps };
}

it('withdraws an ask once and stops waiting for it', async () => {
  const { ask, steps } = testBed();
  ask.options.raised('ask');
  expect([ask.isOver(), ask.options.signal.aborted]).toEqual([false, false]);
  ask.withdraw('settled there');
  ask.withdraw('settled once more');
  await ask.recorded();
  expect([ask.isOver(), ask.options.signal.aborted]).toEqual([true, true]);
  expect(steps).toEqual(['ask raised', 'ask withdrawn: settled there']);
});

it('withdraws an ask as soon as it has an id, and every ask that replaces it', async () => {
  const { ask, steps } = testBed();
  ask.withdraw('settled there');
  await ask.recorded();
  expect([ask.isOver(), ask.options.signal.aborted, steps]).toEqual([true, false, []]);
  ask.options.raised('ask');
  ask.options.raised('again');
  await ask.recorded();
  expect(steps).toEqual([
    'ask raised',
    'ask withdrawn: settled there',
    'again raised',
    'again withdrawn: settled there',
  ]);
});

it('marks an answer undeliverable that was given while the ask was withdrawn', async () => {
  const { ask, steps } = testBed(true);
  ask.options.raised('ask');
  ask.withdraw('settled there');
  await ask.recorded();
  expect(steps).toEqual(['ask raised', 'ask withdrawn: settled there', 'ask undeliverable: settled there']);
});

it('forgets an ask when the agent has its answer', () => {
  const { asks, ask } = testBed();
  expect([asks.get('key'), asks.all(), asks.hasUnanswered()]).toEqual([ask, [ask], true]);
  ask.done();
  expect([asks.get('key'), asks.all(), asks.hasUnanswered()]).toEqual([undefined, [], false]);
});

it('keeps the ask that replaced another under the same key', () => {
  const { asks, ask } = testBed();
  const next = asks.open('key', {});
  ask.done();
  expect(asks.get('key')).toBe(next);
});

it('leaves an ask unanswered when the process is gone', async () => {
  const { asks, ask, steps } = testBed();
  ask.options.raised('ask');
  asks.close();
  ask.done();
  await ask.recorded();
  expect([ask.isOver(), ask.options.signal.aborted, asks.hasUnanswered()]).toEqual([true, true, true]);
  expect(steps).toEqual(['ask raised']);
});

it('forgets an ask that was withdrawn although the process is gone', () => {
  const { asks, ask } = testBed();
  ask.options.raised('ask');
  asks.close();
  ask.withdraw('settled there');
  ask.done();
  expect(asks.hasUnanswered()).toBe(false);
});
