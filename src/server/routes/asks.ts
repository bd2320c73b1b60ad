// Raises asks, waits for them and acknowledges answers, from the agent's side; lists the inbox and the history.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK_KINDS, ASK_STATUSES, DELIVERY_STATES } from '../../core/ask.ts';
import { Acknowledge, Clarify, Empty, RaiseAsk, Sent, Undeliverable, Withdraw } from '../../core/bodies.ts';
import { fail } from '../../core/errors.ts';
import { PARTIAL_STATE_BYTES } from '../../core/partial-state.ts';
import type { Actor } from '../../core/token.ts';
import { AskView, ClarificationView } from '../../core/views.ts';
import { AGENT_SIDE, EVERY_READER, READERS } from '../auth.ts';
import {
  AskWaitQuery,
  countOf,
  goneSignal,
  leaseOf,
  PageQuery,
  pageBefore,
  pageOf,
  sendFound,
  sendList,
  waitOf,
} from '../request.ts';
import { ownSession } from './own-session.ts';
import { RAISE_CODES } from './refusal-codes.ts';
import type { AddRoutes } from './route.ts';

const AskQuery = PageQuery.extend({
  status: z
    .enum([...ASK_STATUSES, 'ended'])
    .optional()
    .describe('`ended`: any but pending'),
  kind: z.enum(ASK_KINDS).optional().describe('Only approvals, or only question sets'),
  session_id: z.string().optional().describe('Only of this session'),
  run_id: z.string().optional().describe('Only of this run'),
  agent: z.string().optional().describe('Only of sessions with this agent'),
  delivery: z.enum(DELIVERY_STATES).optional().describe('`due`: answered, and not yet with the agent'),
  q: z
    .string()
    .max(500)
    .optional()
    .describe(
      'Finds ended asks, newest first: words, "phrases", `agent: tool: by: project: session: is: after: before:`, and `-` before what must not occur',
    ),
  order: z.enum(['oldest', 'newest']).optional().describe('`newest`: ended asks from the newest back'),
});

const SEARCH =
  'A search reads back as far as one request may; `Holdpoint-Searched-To` then says to which instant, and the next page goes on from there. It may find nothing on a page and still have a next one.';

export const addAsks: AddRoutes = ({ app, route, gateway, notices, throttle }) => {
  const bodyLimit = app.initialConfig.bodyLimit ?? Number.MAX_SAFE_INTEGER;

  route('agents', 'POST /v1/runs/:run_id/asks', {
    name: 'raiseAsk',
    summary: 'Raise an approval or a question set',
    description: '200 when the same tool call asked the same before.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    options: {
      bodyLimit: Math.min(bodyLimit + 2 * PARTIAL_STATE_BYTES, Number.MAX_SAFE_INTEGER),
      preValidation: (request, _reply, done) => done(beyondState(request, bodyLimit)),
    },
    body: RaiseAsk,
    examples: {
      question: {
        kind: 'question',
        tool_call_id: 'call_1',
        questions: [
          {
            id: 'target',
            header: 'Target',
            question: 'Where should it be deployed?',
            options: [
              { id: 'staging', label: 'Staging', recommended: true },
              { id: 'production', label: 'Production' },
            ],
          },
          { id: 'notes', question: 'Anything else?', required: false },
        ],
        expires_after_ms: 600_000,
      },
      approval: {
        kind: 'approval',
        tool_call_id: 'call_2',
        tool_name: 'Bash',
        input: { command: 'rm -rf build' },
        reason: 'deletes files',
      },
    },
    refuses: RAISE_CODES,
    reply: AskView,
    creates: true,
    change: ({ params, body, sender }) => gateway.raiseAsk({ runId: params.run_id, body, ...sender }),
  });

  route('agents', 'POST /v1/runs/:run_id/clarifications', {
    name: 'raiseClarification',
    summary: 'A child run asks its parent session',
    description: 'The answer arrives in the mailbox of the child session.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Clarify,
    examples: { question: { tool_call_id: 'call_3', questions: [{ id: 'database', question: 'Which database?' }] } },
    refuses: [...RAISE_CODES, 'no_parent_session'],
    reply: ClarificationView,
    creates: true,
    change: ({ params, body, sender }) => gateway.clarify({ runId: params.run_id, body, ...sender }),
  });

  route('asks', 'GET /v1/asks', {
    name: 'listAsks',
    summary: 'The inbox and the history, oldest first; with `q` a search, newest first',
    description: SEARCH,
    scopes: EVERY_READER,
    query: AskQuery,
    sends: ['Holdpoint-Searched-To'],
    refuses: ['run_not_found'],
    reply: z.array(AskView),
    async handle({ request, reply, actor, query }) {
      if (query.q !== undefined || query.order === 'newest')
        return sendFound(request, reply, await search(query, actor));
      const { status, kind, agent, delivery, run_id: runId } = query;
      const filter = { status, kind, agent, delivery, runId, sessionId: ownSession(actor, query.session_id) };
      return sendList(request, reply, await gateway.listAsks(filter, pageOf(query), actor));
    },
  });

  function search(query: z.infer<typeof AskQuery>, actor: Actor) {
    const { status = 'ended', kind, agent } = query;
    if (status === 'pending') throw fail('invalid_request', 'status: a search is for asks that have ended.');
    for (const name of ['run_id', 'delivery'] as const)
      if (query[name] !== undefined) throw fail('invalid_request', `${name}: does not go with a search.`);
    const sessionId = ownSession(actor, query.session_id);
    const filter = { status: status === 'ended' ? undefined : status, kind, agent, sessionId };
    return gateway.searchHistory({ query: query.q ?? '', filter, ...pageBefore(query) }, actor);
  }

  route('asks', 'GET /v1/asks/:ask_id', {
    name: 'getAsk',
    summary: 'One ask; with `wait_ms`, when it has ended or the time is over',
    description:
      'An agent calls it with `wait_ms` until the status is no longer `pending`, then uses the answer and acknowledges it.',
    scopes: EVERY_READER,
    reads: ['Holdpoint-Lease'],
    query: AskWaitQuery,
    refuses: ['too_many_streams'],
    reply: AskView,
    async handle({ actor, request, params, query, reply }) {
      const wait = { ms: waitOf(query.wait_ms), commentsRead: countOf(query.comments_read) };
      const lease = leaseOf(request);
      if (wait.ms === 0) return withNotices(await gateway.showAsk(params.ask_id, actor, wait, undefined, lease), actor);
      const close = throttle.open(actor);
      try {
        return await gateway.showAsk(params.ask_id, actor, wait, goneSignal(reply), lease);
      } finally {
        close();
      }
    },
  });

  /** For people: agents are not told who is told. */
  async function withNotices(view: z.output<typeof AskView>, actor: Actor) {
    if (!notices.isActive() || !READERS.includes(actor.scope)) return view;
    return { ...view, notices: await notices.noticesOf(view.ask_id) };
  }

  route('agents', 'POST /v1/asks/:ask_id/sent', {
    name: 'markSent',
    summary: 'The answer is about to be handed to the agent',
    description:
      'It stays due, with one attempt more, until the agent has it. With `digest`, only if that is what was answered.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Sent,
    refuses: ['ask_digest_mismatch', 'ask_state_conflict'],
    reply: AskView,
    change: ({ params, body: { digest, returned }, sender }) =>
      gateway.acknowledge({ askId: params.ask_id, state: returned ? 'returned' : 'sent', digest, ...sender }),
  });

  route('asks', 'POST /v1/asks/:ask_id/seen', {
    name: 'markSeen',
    summary: 'You have seen the ask',
    description:
      'For surfaces that have put it in front of a person. The first time of each person and surface counts, while it is pending; any other call changes nothing.',
    scopes: READERS,
    body: Empty,
    reply: z.void(),
    status: 204,
    // The key is checked like every other, and not needed: a repeat changes nothing.
    handle: ({ params, actor, key: _ }) => gateway.seeAsk(params.ask_id, actor),
  });

  route('agents', 'POST /v1/asks/:ask_id/delivered', {
    name: 'markDelivered',
    summary: 'The agent has the answer',
    description: 'With `digest`, only if that is what was answered.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Acknowledge,
    refuses: ['ask_digest_mismatch', 'ask_state_conflict'],
    reply: AskView,
    change: ({ params, body: { digest }, sender }) =>
      gateway.acknowledge({ askId: params.ask_id, state: 'delivered', digest, ...sender }),
  });

  route('agents', 'POST /v1/asks/:ask_id/undeliverable', {
    name: 'markUndeliverable',
    summary: 'The agent can never have the answer',
    description: 'The answer stays on the record, with the reason.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Undeliverable,
    refuses: ['ask_state_conflict'],
    reply: AskView,
    change: ({ params, body: { reason }, sender }) =>
      gateway.acknowledge({ askId: params.ask_id, state: 'undeliverable', reason, ...sender }),
  });

  route('agents', 'POST /v1/asks/:ask_id/withdraw', {
    name: 'withdrawAsk',
    summary: 'The agent takes an ask back',
    description: 'It was settled at its own prompt, or is not needed any more.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Withdraw,
    examples: { decided: { justification: 'Decided at the terminal.' } },
    refuses: ['ask_state_conflict', 'question_option_not_found', 'question_unknown_answer'],
    reply: AskView,
    change({ params, body: { justification, answers }, sender }) {
      return gateway.withdraw({ askId: params.ask_id, justification, answers, ...sender });
    },
  });
};

/** A partial_state has a limit of its own; whatever else is in the body has the ordinary one. */
function beyondState({ body, headers }: FastifyRequest, limit: number): Error | undefined {
  if (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= limit) return undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  const { partial_state: _, ...rest } = body as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(rest)) <= limit) return undefined;
  return fail('body_too_large', `A body has at most ${limit} bytes, without its partial_state.`);
}
