// Which reason says that a request is asked again, and how it is split.
import { expect, it } from 'vitest';
import { askedAgainWhy, isAskedAgain } from '../../src/core/asked-again.ts';

it('recognises a request whose worker says so, which names its files', () => {
  expect(isAskedAgain({ files: [], reason: 'Asked again: a.sh has changed.' })).toBe(true);
  expect(isAskedAgain({ reason: 'Asked again: a.sh has changed.' })).toBe(false);
  expect(isAskedAgain({ files: [], reason: 'I Asked again: a' })).toBe(false);
});

it('splits what the worker says from the reason of the agent', () => {
  const why = 'a.sh has changed since this was asked.';
  expect(askedAgainWhy(`Asked again: ${why}\n\nTo deploy.\n\nNow.`)).toEqual({ why, reason: 'To deploy.\n\nNow.' });
  expect(askedAgainWhy(`Asked again: ${why}`)).toEqual({ why, reason: '' });
});
