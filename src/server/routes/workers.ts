// Lets workers claim a run under a lease, renew the lease and release it.
import { ClaimRun, Heartbeat, ReleaseRun } from '../../core/bodies.ts';
import { ClaimedRunView, RunView } from '../../core/views.ts';
import { WORKERS } from '../auth.ts';
import { goneSignal } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addWorkers: AddRoutes = ({ route, gateway, throttle, workers }) => {
  route('workers', 'POST /v1/workers/claim', {
    name: 'claimRun',
    summary: 'Take the next run',
    description: '204 when there is nothing to do within `wait_ms`.',
    scopes: WORKERS,
    body: ClaimRun,
    examples: {
      own_agent: { worker_id: 'build-host', agents: [{ name: 'my-agent', recovery: 'resume' }], wait_ms: 0 },
    },
    refuses: ['too_many_streams'],
    reply: ClaimedRunView,
    emptyReplies: { 204: 'There was nothing to do within `wait_ms`' },
    async handle({ actor, body, reply }) {
      const close = throttle.open(actor);
      workers.note(actor.tokenId, { ...body, labels: body.labels ?? actor.labels }, gateway.now());
      try {
        return (await gateway.waitForWork(body, goneSignal(reply), actor)) ?? reply.code(204).send();
      } finally {
        close();
      }
    },
  });

  route('workers', 'POST /v1/runs/:run_id/heartbeat', {
    name: 'renewLease',
    summary: 'Keep the lease on a run',
    description:
      'The run as it is now: a worker sees here that it was cancelled. Refused once another worker has the run.',
    scopes: WORKERS,
    body: Heartbeat,
    examples: { minute: { worker_id: 'build-host', lease_epoch: 1, lease_ms: 60_000 } },
    refuses: ['lease_lost'],
    reply: RunView,
    change({ actor, params, body, key }) {
      workers.noteBusy(actor.tokenId, body.worker_id, gateway.now());
      return gateway.keepLease(params.run_id, body, key, actor);
    },
  });

  route('workers', 'POST /v1/runs/:run_id/release', {
    name: 'releaseRun',
    summary: 'Let go of a run',
    description: 'The agent stopped cleanly; the run is held without a process.',
    scopes: WORKERS,
    body: ReleaseRun,
    examples: { stopped: { worker_id: 'build-host', lease_epoch: 1 } },
    refuses: ['lease_lost'],
    reply: RunView,
    change: ({ actor, params, body, key }) => gateway.releaseLease(params.run_id, body, key, actor),
  });
};
