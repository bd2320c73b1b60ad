// The ids of asks for one call: each its own, and readable as the call's id, also as release 0.1.0 wrote them.
import { expect, it } from 'vitest';
import { callIdOf, createKnownAsks, nthId } from '../../../src/agents/kit/ask-ids.ts';
import type { AskView } from '../../../src/core/views.ts';

it('reads the call id from an ask id with either suffix', () => {
  const ids = ['toolu_1', nthId('toolu_1', 1), nthId('toolu_1', 2), 'toolu_1#2', 'toolu_1#1769000000000'];
  expect(new Set(ids.map((tool_call_id) => callIdOf({ tool_call_id })))).toEqual(new Set(['toolu_1']));
});

it('gives every further ask for a call the first number that is free', () => {
  const stored = ['a', 'a~2', 'b#2'].map((tool_call_id) => ({ tool_call_id, delivery: {} }) as AskView);
  const asks = createKnownAsks(stored);
  expect(['a', 'a', 'b', 'b', 'c'].map((id) => asks.fresh({ id }).id)).toEqual(['a~3', 'a~4', 'b', 'b~2', 'c']);
});
