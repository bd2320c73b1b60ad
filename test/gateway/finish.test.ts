// The end of a run: its pending asks end with it, and the log records how.
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { eventsOfRun, family, ok, raiseApproval } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('denies the pending approval of a failed run, lists it with the reason and logs the denial', async () => {
  const { childId, childRunId } = await family(server);
  const ask = await raiseApproval(server, childRunId);
  await ok(server.post(`/v1/runs/${childRunId}/fail`, { error: 'sub-agent crashed' }));
  const listed = await ok(server.get<AskView[]>(`/v1/asks?session_id=${childId}&status=ended`));
  expect(listed).toMatchObject([{ ask_id: ask.ask_id, answer: { behavior: 'deny', reason: 'sub-agent crashed' } }]);
  const claim = (await eventsOfRun(server, childRunId)).find((e) => e.type === 'ask.claimed');
  expect(claim).toMatchObject({ ask_id: ask.ask_id, data: { answer: { behavior: 'deny' } } });
});
