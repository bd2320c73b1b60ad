// Decides approvals, in batches that are all or nothing.
import { ResolveApprovals } from '../../core/bodies.ts';
import { RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { SettleQuery } from '../request.ts';
import { settledRun, settledSession } from './pending-asks.ts';
import type { AddRoutes } from './route.ts';

export const addApprovals: AddRoutes = ({ route, gateway }) => {
  route('approvals', 'POST /v1/sessions/:session_id/approvals', {
    summary: 'Decide a batch, and get the session back',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveApprovals,
    reply: SessionView,
    async handle({ actor, params, query, body, key }) {
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      return settledSession(gateway, (await gateway.approveForSession(command)).view, query);
    },
  });

  route('approvals', 'POST /v1/sessions/:session_id/approval-runs', {
    summary: 'Decide a batch, and get the run that carries on',
    scopes: ANSWERERS,
    body: ResolveApprovals,
    reply: RunView,
    status: 202,
    change({ actor, params, body, key }) {
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      return gateway.approveForSessionRun(command);
    },
  });

  route('approvals', 'POST /v1/runs/:run_id/approvals', {
    summary: 'Decide a batch of one run',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveApprovals,
    reply: RunView,
    status: 202,
    async handle({ actor, params, query, body, key }) {
      const { view } = await gateway.approveForRun({ runId: params.run_id, resolutions: body.resolutions, actor, key });
      return settledRun(gateway, view, query);
    },
  });
};
