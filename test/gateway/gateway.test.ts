// The gateway after a restart: whatever can be done to a pending ask can be done by a server that has just started.
import { expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import { answer, held, ok, raiseQuestion } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('answers, cancels, decides and raises after a restart as before it', async () => {
  const [a, b, c] = [await held(server), await held(server), await held(server, { kind: 'approval' })];
  await server.restart();
  expect((await ok(answer(server, a))).status).toBe('running');
  const cancel = `/v1/runs/${b.runId}/questions/${b.ask.ask_id}/cancel`;
  expect((await ok(server.post<RunView>(cancel))).status).toBe('cancelled');
  const decision = { resolutions: [{ request_id: c.ask.ask_id, behavior: 'deny' }] };
  expect((await ok(server.post<RunView>(`/v1/runs/${c.runId}/approvals`, decision))).status).toBe('running');
  expect((await raiseQuestion(server, a.runId)).status).toBe('pending');
});
