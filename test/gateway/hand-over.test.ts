// What a run keeps that handed its form to the next run.
import { expect, it } from 'vitest';
import type { ItemView } from '../../src/core/views.ts';
import { answer, eventsOfSession, held, ok, showRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('keeps why its agent stopped on the completed run, in its event and at the end of its turn', async () => {
  const h = await held(server, { mode: 'form' });
  const next = await ok(answer(server, h));
  const run = await showRun(server, h.runId);
  expect(run).toMatchObject({ status: 'completed', stop_reason: 'tool_deferred' });
  expect(run).not.toHaveProperty('outcome');
  const completed = (await eventsOfSession(server, h.sessionId)).find(({ type }) => type === 'completed');
  expect(completed?.data).toMatchObject({ stop_reason: 'tool_deferred' });
  await ok(server.post(`/v1/runs/${next.run_id}/complete`));
  const items = await ok(server.get<ItemView[]>(`/v1/threads/thr_${h.sessionId}/items`));
  const ends = items.filter(({ metadata }) => metadata?.type === 'turn_end');
  expect(ends.map(({ metadata }) => metadata?.stop_reason)).toEqual(['tool_deferred', undefined]);
});
