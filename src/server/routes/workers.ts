// Lets workers claim a run under a lease, renew the lease and release it.
import { z } from 'zod';
import { ClaimRun, Heartbeat, ReleaseRun } from '../../core/bodies.ts';
import { ClaimedRunView, RunView } from '../../core/views.ts';
import { WORKERS } from '../auth.ts';
import { goneSignal } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addWorkers: AddRoutes = ({ route, gateway, throttle, workers }) => {
  route('workers', 'POST /v1/workers/claim', {
    summary: 'Take the next run',
    description: '204 when there is nothing to do within `wait_ms`.',
    scopes: WORKERS,
    body: ClaimRun,
    reply: ClaimedRunView,
    otherReplies: { 204: z.null() },
    async handle({ actor, body, reply }) {
      const close = throttle.open(actor);
      workers.note(actor.tokenId, { ...body, labels: body.labels ?? actor.labels }, gateway.now());
      try {
        return (await gateway.waitForWork(body, goneSignal(reply), actor)) ?? reply.code(204).send(null);
      } finally {
        close();
      }
    },
  });

  route('workers', 'POST /v1/runs/:run_id/heartbeat', {
    summary: 'Keep the lease on a run',
    scopes: WORKERS,
    body: Heartbeat,
    reply: RunView,
    change({ actor, params, body, key }) {
      workers.noteBusy(actor.tokenId, body.worker_id, gateway.now());
      return gateway.keepLease(params.run_id, body, key, actor);
    },
  });

  route('workers', 'POST /v1/runs/:run_id/release', {
    summary: 'Let go of a run',
    description: 'The agent stopped cleanly; the run is held without a process.',
    scopes: WORKERS,
    body: ReleaseRun,
    reply: RunView,
    change: ({ actor, params, body, key }) => gateway.releaseLease(params.run_id, body, key, actor),
  });
};
