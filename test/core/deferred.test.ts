// The deferred result: its exact shape, and how it is recognised in whatever a runtime wrapped it in.
import { describe, expect, it } from 'vitest';
import { deferredResult, findDeferred } from '../../src/core/deferred.ts';

describe('the deferred result', () => {
  const result = deferredResult('ask_1');

  it('has exactly the documented JSON', () => {
    expect(JSON.stringify(result)).toBe(
      '{"__deferred_user_input__":true,"success":true,"status":"waiting_for_user_response","ask_id":"ask_1"}',
    );
  });

  it.each([
    ['as it is', result],
    ['as JSON', JSON.stringify(result)],
    ['in a content block', { content: [{ type: 'text', text: JSON.stringify(result) }] }],
    ['in a list of blocks', [{ type: 'text', text: JSON.stringify(result) }]],
    ['structured', { content: [], structuredContent: result }],
    ['with further keys', { ...result, reason: 'x', __silent_exit__: true }],
  ])('recognises the deferred result %s', (_, wrapped) => expect(findDeferred(wrapped)).toEqual(result));

  it.each([
    ['nothing', undefined],
    ['a text', 'waiting_for_user_response'],
    ['not deferred', { ...result, __deferred_user_input__: false }],
    ['a word for true', { ...result, __deferred_user_input__: 'true' }],
    ['a failure', { ...result, success: false }],
    ['another status', { ...result, status: 'done' }],
    ['too deep', { content: [{ content: [{ content: [{ text: JSON.stringify(result) }] }] }] }],
    ['broken JSON', '{"__deferred_user_input__": true,'],
  ])('finds no deferred result in %s', (_, other) => expect(findDeferred(other)).toBeUndefined());
});
