// The views as types and as schemas: an ask is discriminated by its kind, in code and in the OpenAPI document.
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type ApprovalRequest, AskView, type UserQuestionRequest } from '../../src/core/views.ts';

it('types the request of an ask by its kind', () => {
  type Of<K extends AskView['kind']> = Extract<AskView, { kind: K }>['request'];
  expectTypeOf<Of<'approval'>>().toEqualTypeOf<ApprovalRequest>();
  expectTypeOf<Of<'question'>>().toEqualTypeOf<UserQuestionRequest>();
});

it('refuses an ask whose request is of the other kind', () => {
  const question = { id: 'a', tool_call_id: 'a', questions: [], digest: 'd', created_at_ms: 1 };
  const ask = { ask_id: 'a', status: 'pending', session_id: 's', run_id: 'r', tool_call_id: 'a', mode: 'blocking' };
  const open = { ...ask, created_at_ms: 1, delivery: { state: 'none', attempts: 0 }, request: question };
  expect(AskView.safeParse({ ...open, kind: 'question' }).success).toBe(true);
  expect(AskView.safeParse({ ...open, kind: 'approval' }).success).toBe(false);
  expect(z.toJSONSchema(AskView).oneOf).toMatchObject([
    { properties: { kind: { const: 'approval' } } },
    { properties: { kind: { const: 'question' } } },
  ]);
});
