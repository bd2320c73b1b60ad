// Workers: claim a run under a lease, keep the lease, let go of it.
import { z } from 'zod';
import { ClaimRun, Heartbeat, ReleaseRun } from '../../core/bodies.ts';
import { ClaimedRunView, RunView } from '../../core/views.ts';
import { WORKERS } from '../auth.ts';
import { goneSignal, keyOf } from '../request.ts';
import { type AddRoutes, about, RunParams, replies } from './route.ts';

export const addWorkers: AddRoutes = (app, { gateway, throttle, workers }) => {
  app.post(
    '/v1/workers/claim',
    {
      config: { scopes: WORKERS },
      schema: {
        ...about('workers', 'Take the next run', '204 when there is nothing to do within `wait_ms`.'),
        body: ClaimRun,
        response: replies({ 200: ClaimedRunView, 204: z.null() }),
      },
    },
    async (request, reply) => {
      const close = throttle.open(request.actor);
      workers.note(request.body, gateway.now());
      try {
        const claimed = await gateway.waitForWork(request.body, goneSignal(reply), request.actor);
        return claimed === undefined ? reply.code(204).send(null) : claimed;
      } finally {
        close();
      }
    },
  );

  app.post(
    '/v1/runs/:run_id/heartbeat',
    {
      config: { scopes: WORKERS },
      schema: {
        ...about('workers', 'Keep the lease on a run'),
        params: RunParams,
        body: Heartbeat,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      workers.noteBusy(request.body.worker_id, gateway.now());
      return (await gateway.keepLease(request.params.run_id, request.body, keyOf(request, gateway.hash))).view;
    },
  );

  app.post(
    '/v1/runs/:run_id/release',
    {
      config: { scopes: WORKERS },
      schema: {
        ...about('workers', 'Let go of a run', 'The agent stopped cleanly; the run is held without a process.'),
        params: RunParams,
        body: ReleaseRun,
        response: replies({ 200: RunView }),
      },
    },
    async (request) =>
      (await gateway.releaseLease(request.params.run_id, request.body, keyOf(request, gateway.hash))).view,
  );
};
