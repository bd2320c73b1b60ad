// Raising asks over HTTP: a caller cannot claim an outcome, an id or a digest for its own ask.
import { expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { callId, newSession, ok, refusal, startRun } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

it('refuses to raise or acknowledge an ask with a status, an answer, a digest or an id of the caller', async () => {
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const { token } = await server.makeToken('agent', session_id);
  const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: {} };
  const forgeries = [
    { status: 'answered' },
    { answer: { behavior: 'allow' } },
    { behavior: 'allow' },
    { digest: 'x' },
    { ask_id: 'x' },
  ];
  for (const forged of forgeries)
    await refusal(server.post(`/v1/runs/${run_id}/asks`, { ...body, ...forged }, { token }), 400, 'invalid_request');
  await refusal(
    server.post('/v1/sessions', { agent: 'external', permissions: 'autonomous' }, { token }),
    403,
    'scope_forbidden',
  );
  const ask = await ok(server.post<AskView>(`/v1/runs/${run_id}/asks`, body, { token }));
  expect(ask.status).toBe('pending');
  const acknowledged = server.post(`/v1/asks/${ask.ask_id}/delivered`, { behavior: 'allow' }, { token });
  await refusal(acknowledged, 400, 'invalid_request');
});
