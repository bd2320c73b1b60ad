// Decides approvals, in batches that are all or nothing.
import { ResolveApprovals } from '../../core/bodies.ts';
import { RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { SettleQuery } from '../request.ts';
import { settledRun, settledSession } from './pending-asks.ts';
import { APPROVAL_CODES } from './refusal-codes.ts';
import type { AddRoutes } from './route.ts';

export const addApprovals: AddRoutes = ({ route, gateway }) => {
  route('approvals', 'POST /v1/sessions/:session_id/approvals', {
    name: 'decideSessionApprovals',
    summary: 'Decide a batch, and get the session back',
    description: 'All or nothing: one resolution that is not valid, or came too late, refuses the batch.',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveApprovals,
    examples: {
      deny: { resolutions: [{ request_id: 'ask_01hzexample', behavior: 'deny', reason: 'Use the script.' }] },
    },
    refuses: APPROVAL_CODES,
    reply: SessionView,
    async handle({ actor, params, query, body, key }) {
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      return settledSession(gateway, (await gateway.approveForSession(command)).view, query);
    },
  });

  route('approvals', 'POST /v1/sessions/:session_id/approval-runs', {
    name: 'decideApprovalsOfActiveRun',
    summary: 'Decide a batch, and get the run that carries on',
    description: 'All or nothing, like the batch of a run.',
    scopes: ANSWERERS,
    body: ResolveApprovals,
    examples: {
      edited: {
        resolutions: [{ request_id: 'ask_01hzexample', behavior: 'allow', updated_input: { command: 'rm -r build' } }],
      },
    },
    refuses: APPROVAL_CODES,
    reply: RunView,
    status: 202,
    change({ actor, params, body, key }) {
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      return gateway.approveForSessionRun(command);
    },
  });

  route('approvals', 'POST /v1/runs/:run_id/approvals', {
    name: 'decideApprovals',
    summary: 'Decide a batch of one run',
    description:
      'All or nothing: one resolution that is not valid, or came too late, refuses the batch. `updated_input` allows the changed input instead.',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveApprovals,
    examples: { allow: { resolutions: [{ request_id: 'ask_01hzexample', behavior: 'allow' }] } },
    refuses: APPROVAL_CODES,
    reply: RunView,
    status: 202,
    async handle({ actor, params, query, body, key }) {
      const { view } = await gateway.approveForRun({ runId: params.run_id, resolutions: body.resolutions, actor, key });
      return settledRun(gateway, view, query);
    },
  });
};
