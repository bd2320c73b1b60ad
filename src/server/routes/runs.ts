// Starts, shows, lists and cancels runs, and takes what an agent reports about its run: output, completion, failure.
import { z } from 'zod';
import { CancelRun, CompleteRun, FailRun, PostMessage, PostOutput, StartRun } from '../../core/bodies.ts';
import { RUN_STATUSES } from '../../core/run.ts';
import { RunView } from '../../core/views.ts';
import { AGENT_SIDE, ANSWERERS, EVERY_READER } from '../auth.ts';
import { OrderQuery, orderedPageOf, sendList } from '../request.ts';
import { ownSession } from './own-session.ts';
import { MESSAGE_CODES } from './refusal-codes.ts';
import type { AddRoutes } from './route.ts';

export const addRuns: AddRoutes = ({ route, gateway }) => {
  route('runs', 'POST /v1/sessions/:session_id/runs', {
    name: 'startRun',
    summary: 'Start work in a session',
    description:
      'It has the slot of the session, or queues for it. The run of an external agent is `running` as soon as it has the slot; a worker claims any other.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: StartRun,
    examples: { text: { input: { text: 'fix the build' } } },
    refuses: [
      'pending_interactive_form',
      'queued_runs_limit',
      'session_bytes_limit',
      'session_ended',
      'thread_takes_no_input',
    ],
    reply: RunView,
    status: 202,
    change: ({ params, body, sender }) => gateway.startRun({ sessionId: params.session_id, body, ...sender }),
  });

  route('sessions', 'POST /v1/sessions/:session_id/messages', {
    name: 'postMessage',
    summary: 'Say something to a session: a post to its thread, or the answer to its form',
    description: 'While a form waits, words are refused until it is submitted or cancelled.',
    scopes: ANSWERERS,
    body: PostMessage,
    examples: { text: { text: 'Use the staging database.' } },
    refuses: MESSAGE_CODES,
    reply: RunView,
    status: 202,
    change: ({ actor, params, body, key }) => gateway.postMessage({ sessionId: params.session_id, body, actor, key }),
  });

  route('runs', 'GET /v1/runs', {
    name: 'listRuns',
    summary: 'List runs, oldest first unless `order=newest`',
    description: 'All states, unless `status` names one.',
    scopes: EVERY_READER,
    query: OrderQuery.extend({
      session_id: z.string().optional().describe('Only of this session'),
      status: z.enum(RUN_STATUSES).optional().describe('Only in this state'),
    }),
    reply: z.array(RunView),
    async handle({ request, reply, actor, query }) {
      const { page, way, newestFirst } = orderedPageOf(query);
      const filter = { sessionId: ownSession(actor, query.session_id), status: query.status, newestFirst };
      return sendList(request, reply, await gateway.listRuns(filter, page), way);
    },
  });

  route('runs', 'GET /v1/runs/:run_id', {
    name: 'getRun',
    summary: 'One run',
    description: 'With its pending asks and its outputs.',
    scopes: EVERY_READER,
    reply: RunView,
    handle: ({ params }) => gateway.showRun(params.run_id),
  });

  route('agents', 'GET /v1/runs/:run_id/input', {
    name: 'getRunInput',
    summary: 'What the run was asked to do, whole',
    description:
      'Views show only its beginning. A viewer sees the names in `env`, not the values; so does a worker, except in a session whose run it has claimed.',
    scopes: EVERY_READER,
    reply: z.record(z.string(), z.unknown()),
    handle: ({ params, actor }) => gateway.showInput(params.run_id, actor),
  });

  route('runs', 'POST /v1/runs/:run_id/cancel', {
    name: 'cancelRun',
    summary: 'Cancel a run',
    description: 'Idempotent: a run that is already cancelled stays as it is.',
    scopes: ANSWERERS,
    body: CancelRun,
    refuses: ['run_state_conflict'],
    reply: RunView,
    change: ({ actor, params: { run_id: runId }, body: { reason }, key }) =>
      gateway.cancelRun({ runId, reason, actor, key }),
  });

  route('agents', 'POST /v1/runs/:run_id/output', {
    name: 'postOutput',
    summary: 'Say something',
    description: 'The same `output_id` again is the same output.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: PostOutput,
    examples: { text: { type: 'text', text: 'Running the tests' } },
    refuses: ['run_state_conflict', 'session_bytes_limit'],
    reply: RunView,
    change: ({ params, body, sender }) => gateway.postOutput({ runId: params.run_id, body, ...sender }),
  });

  route('agents', 'POST /v1/runs/:run_id/complete', {
    name: 'completeRun',
    summary: 'The work is done',
    description: 'Asks of the run that are still pending are cancelled; the next run of the session begins.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: CompleteRun,
    examples: { text: { text: 'The build is fixed.' } },
    refuses: ['run_state_conflict'],
    reply: RunView,
    change({ params, body, sender }) {
      const { text, exit_code: exitCode } = body;
      return gateway.completeRun({ runId: params.run_id, text, exitCode, ...sender });
    },
  });

  route('agents', 'POST /v1/runs/:run_id/fail', {
    name: 'failRun',
    summary: 'The work failed, or was interrupted',
    description: 'Asks of the run that are still pending end as failed; the next run of the session begins.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: FailRun,
    examples: { failed: { error: 'Two tests fail.', reason: 'worker-failed' } },
    refuses: ['run_state_conflict'],
    reply: RunView,
    change({ params, body, sender }) {
      const { error, reason, interrupted_by: interruptedBy, exit_code: exitCode } = body;
      const failure = { error, reason, interruptedBy, exitCode };
      return gateway.failRun({ runId: params.run_id, ...failure, ...sender });
    },
  });
};
