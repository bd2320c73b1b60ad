// Runs over HTTP: who may read the input of a run.
import { expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { newSession, ok, refusal } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

it('shows the whole input of a run to its own agent and refuses other agents', async () => {
  const session = await newSession(server);
  const input = { text: 'y'.repeat(1000), data: { k: 1 } };
  const run = await ok(server.post<RunView>(`/v1/sessions/${session.session_id}/runs`, { input }));
  const own = await server.makeToken('agent', session.session_id);
  const other = await server.makeToken('agent', (await newSession(server)).session_id);
  expect(await ok(server.get(`/v1/runs/${run.run_id}/input`, { token: own.token }))).toEqual(input);
  await refusal(server.get(`/v1/runs/${run.run_id}/input`, { token: other.token }), 403, 'session_forbidden');
});
