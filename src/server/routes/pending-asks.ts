// Lists pending approvals and questions, and waits until an answered run pauses again.
import { z } from 'zod';
import type { AskKind } from '../../core/ask.ts';
import { PendingApprovalView, PendingQuestionView, type RunView, type SessionView } from '../../core/views.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { EVERY_READER } from '../auth.ts';
import { PageQuery, pageOf, sendList, waitOf } from '../request.ts';
import { ownSession } from './own-session.ts';
import type { AddRoutes, Context } from './route.ts';

export const addPendingAsks: AddRoutes = (context) => {
  addLists(context, 'question', 'Questions', PendingQuestionView);
  addLists(context, 'approval', 'Approvals', PendingApprovalView);
};

function addLists({ route, gateway }: Context, kind: AskKind, name: string, view: z.ZodType): void {
  const asks = `${kind}s` as const;

  route(asks, `GET /v1/${asks}`, {
    name: `list${name}`,
    summary: `Pending ${asks} over all sessions, oldest first`,
    description: 'Only what waits for a person now; `GET /v1/asks` has the history.',
    scopes: EVERY_READER,
    query: PageQuery.extend({ session_id: z.string().optional().describe('Only of this session') }),
    reply: z.array(view),
    async handle({ request, reply, actor, query }) {
      const sessionId = ownSession(actor, query.session_id);
      return sendList(request, reply, await gateway.listPending(kind, sessionId, pageOf(query)));
    },
  });

  route(asks, `GET /v1/sessions/:session_id/${asks}`, {
    name: `listSession${name}`,
    summary: `Pending ${asks} of one session`,
    description: 'Oldest first.',
    scopes: EVERY_READER,
    query: PageQuery,
    reply: z.array(view),
    handle: async ({ request, reply, params, query }) =>
      sendList(request, reply, await gateway.listPending(kind, params.session_id, pageOf(query))),
  });
}

interface SettleQuery {
  settle_ms?: string | undefined;
}

/** With `settle_ms`: the session when its run has paused again, or that time is over. */
export async function settledSession(gateway: Gateway, view: SessionView, query: SettleQuery): Promise<SessionView> {
  const settleMs = waitOf(query.settle_ms);
  if (settleMs === 0 || view.active_run_id === undefined) return view;
  await gateway.waitForPause(view.active_run_id, settleMs);
  return gateway.showSession(view.session_id);
}

/** With `settle_ms`: the run when it has paused again, or that time is over. */
export async function settledRun(gateway: Gateway, view: RunView, query: SettleQuery): Promise<RunView> {
  const settleMs = waitOf(query.settle_ms);
  if (settleMs === 0) return view;
  await gateway.waitForPause(view.run_id, settleMs);
  return gateway.showRun(view.run_id);
}
