// Tests how suggestions of agents are read, and named once they were taken.
import { expect, it } from 'vitest';
import { suggestionOf, suggestionsTaken } from '../../../web/src/state/suggestion.ts';
import { approval } from '../../client/asks.ts';

it('reads a suggestion with what it grants, and none without an id', () => {
  expect(suggestionOf({ id: 'a', label: ' ', rules: [1] })).toEqual([{ id: 'a', label: 'a', grants: '{"rules":[1]}' }]);
  expect(suggestionOf({ label: 'Always' })).toEqual([]);
  expect(suggestionOf(null)).toEqual([]);
});

it('names what was allowed besides by its words', () => {
  const ask = approval({ command: 'ls' });
  const request = { ...ask.request, suggestions: [{ id: 'a', label: 'Always in this session' }] };
  const answer = { suggestion_ids: ['a', 'gone'] } as never;
  expect(suggestionsTaken({ ...ask, request, answer } as never)).toEqual(['Always in this session', 'gone']);
});
