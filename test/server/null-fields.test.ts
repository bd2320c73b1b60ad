// Null for an optional field of a body, which many clients write for "absent".
import { expect, it } from 'vitest';
import { z } from 'zod';
import { withoutNulls } from '../../src/server/null-fields.ts';
import { allow, callId, decide, held, ok, refusal, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('takes null for an optional field as absent, in nested objects and lists too', async () => {
  const { runId } = await held(server, {}, { title: null, idempotency_key: null });
  const approval = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: { a: null } };
  const path = `/v1/runs/${runId}/asks`;
  const ask = await ok(
    server.post<{ ask_id: string; request: object }>(path, { ...approval, reason: null, diff: null }),
  );
  expect(ask.request).toMatchObject({ input: { a: null }, reason: '' });
  const options = [{ label: 'One', description: null }];
  const questions = [{ question: 'A?', header: null, placeholder: null, options }];
  await ok(server.post(path, { kind: 'question', tool_call_id: callId(), questions, expires_after_ms: null }));
  await ok(decide(server, runId, allow(ask.ask_id, { justification: null, updated_input: null })));
  expect((await showAsk(server, ask.ask_id)).answer).not.toHaveProperty('updated_input');
});

it('refuses null for a required field', async () => {
  const { runId } = await held(server);
  const problem = await refusal(
    server.post(`/v1/runs/${runId}/questions`, { resolution: null }),
    400,
    'invalid_request',
  );
  expect(problem.detail).toContain('body.resolution: must be an object, not null');
});

it('keeps null where the schema has a use for it', () => {
  const schema = z.strictObject({ any: z.unknown().optional(), none: z.string().nullable().optional() });
  expect(withoutNulls(schema, { any: null, none: null })).toEqual({ any: null, none: null });
});
