// Asks from the agent's side: raise, wait, acknowledge. And the inbox and history of all asks.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK_KINDS, ASK_STATUSES, DELIVERY_STATES } from '../../core/ask.ts';
import { Acknowledge, Clarify, Empty, RaiseAsk, Undeliverable, Withdraw } from '../../core/bodies.ts';
import { fail } from '../../core/errors.ts';
import { PARTIAL_STATE_BYTES } from '../../core/partial-state.ts';
import type { Actor } from '../../core/token.ts';
import { AskView, ClarificationView } from '../../core/views.ts';
import type { AcknowledgeCommand } from '../../gateway/deliver.ts';
import { AGENT_SIDE, EVERY_READER, READERS } from '../auth.ts';
import {
  goneSignal,
  keyOf,
  leaseOf,
  PageQuery,
  pageBefore,
  pageOf,
  sendFound,
  sendList,
  WaitQuery,
  waitOf,
} from '../request.ts';
import { ownSession } from './own-session.ts';
import { type AddRoutes, AskParams, about, RunParams, replies } from './route.ts';

const AskQuery = PageQuery.extend({
  status: z.enum([...ASK_STATUSES, 'ended']).optional(),
  kind: z.enum(ASK_KINDS).optional(),
  session_id: z.string().optional(),
  run_id: z.string().optional(),
  agent: z.string().optional(),
  delivery: z.enum(DELIVERY_STATES).optional(),
  q: z.string().max(500).optional().describe('Words and "phrases" to find in ended asks, newest first'),
  order: z.enum(['oldest', 'newest']).optional().describe('`newest`: ended asks from the newest back'),
});

const SEARCH =
  'A search reads back as far as one request may; `Holdpoint-Searched-To` then says to which instant, and the next page goes on from there. It may find nothing on a page and still have a next one.';

export const addAsks: AddRoutes = (app, { gateway, throttle }) => {
  const search = (query: z.infer<typeof AskQuery>, actor: Actor) => {
    const { status = 'ended', kind, agent } = query;
    if (status === 'pending') throw fail('invalid_request', 'status: a search is for asks that have ended.');
    for (const name of ['run_id', 'delivery'] as const)
      if (query[name] !== undefined) throw fail('invalid_request', `${name}: does not go with a search.`);
    const sessionId = ownSession(actor, query.session_id);
    const filter = { status: status === 'ended' ? undefined : status, kind, agent, sessionId };
    const { limit, before } = pageBefore(query);
    return gateway.searchHistory({ query: query.q ?? '', filter, before, limit }, actor);
  };
  const bodyLimit = app.initialConfig.bodyLimit ?? Number.MAX_SAFE_INTEGER;
  app.post(
    '/v1/runs/:run_id/asks',
    {
      config: { scopes: AGENT_SIDE },
      bodyLimit: Math.min(bodyLimit + 2 * PARTIAL_STATE_BYTES, Number.MAX_SAFE_INTEGER),
      preValidation: (request, _reply, done) => done(beyondState(request, bodyLimit)),
      schema: {
        ...about('agents', 'Raise an approval or a question set', '200 when the same tool call asked the same before.'),
        params: RunParams,
        body: RaiseAsk,
        response: replies({ 200: AskView, 201: AskView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const command = { runId: params.run_id, body, actor, leaseEpoch: leaseOf(request), key };
      const { created, view } = await gateway.raiseAsk(command);
      return reply.code(created ? 201 : 200).send(view);
    },
  );

  app.post(
    '/v1/runs/:run_id/clarifications',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about(
          'agents',
          'A child run asks its parent session',
          'The answer arrives in the mailbox of the child session.',
        ),
        params: RunParams,
        body: Clarify,
        response: replies({ 200: ClarificationView, 201: ClarificationView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { created, view } = await gateway.clarify({
        runId: params.run_id,
        body,
        actor,
        leaseEpoch: leaseOf(request),
        key,
      });
      return reply.code(created ? 201 : 200).send(view);
    },
  );

  app.get(
    '/v1/asks',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('asks', 'The inbox and the history, oldest first; with `q` a search, newest first', SEARCH),
        querystring: AskQuery,
        response: replies({ 200: z.array(AskView) }),
      },
    },
    async (request, reply) => {
      const { actor, query } = request;
      if (query.q !== undefined || query.order === 'newest')
        return sendFound(request, reply, await search(query, actor));
      const { status, kind, agent, delivery, run_id: runId } = query;
      const filter = { status, kind, agent, delivery, runId, sessionId: ownSession(actor, query.session_id) };
      return sendList(request, reply, await gateway.listAsks(filter, pageOf(query), actor));
    },
  );

  app.get(
    '/v1/asks/:ask_id',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('asks', 'One ask; with `wait_ms`, when it has ended or the time is over'),
        params: AskParams,
        querystring: WaitQuery,
        response: replies({ 200: AskView }),
      },
    },
    async (request, reply) => {
      const { actor, params } = request;
      const wait = waitOf(request.query.wait_ms);
      if (wait === 0) return gateway.showAsk(params.ask_id, actor);
      const close = throttle.open(actor);
      try {
        return await gateway.showAsk(params.ask_id, actor, wait, goneSignal(reply));
      } finally {
        close();
      }
    },
  );

  const acknowledge = async (
    request: FastifyRequest,
    askId: string,
    told: Pick<AcknowledgeCommand, 'state' | 'digest' | 'reason'>,
  ) => {
    const command = { askId, ...told, leaseEpoch: leaseOf(request), key: keyOf(request, gateway.hash) };
    return (await gateway.acknowledge(command)).view;
  };

  app.post(
    '/v1/asks/:ask_id/sent',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about(
          'agents',
          'The answer is about to be handed to the agent',
          'It stays due, with one attempt more, until the agent has it. With `digest`, only if that is what was answered.',
        ),
        params: AskParams,
        body: Acknowledge,
        response: replies({ 200: AskView }),
      },
    },
    (request) => acknowledge(request, request.params.ask_id, { state: 'sent', digest: request.body.digest }),
  );

  app.post(
    '/v1/asks/:ask_id/seen',
    {
      config: { scopes: READERS },
      schema: {
        ...about(
          'asks',
          'You have seen the ask',
          'For surfaces that have put it in front of a person. The first time of each person and surface counts, while it is pending; any other call changes nothing.',
        ),
        params: AskParams,
        body: Empty,
        response: replies({ 204: z.void() }),
      },
    },
    async (request, reply) => {
      // Judged like every key, and not needed: a repeat changes nothing.
      keyOf(request, gateway.hash);
      await gateway.seeAsk(request.params.ask_id, request.actor);
      return reply.code(204).send();
    },
  );

  app.post(
    '/v1/asks/:ask_id/delivered',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('agents', 'The agent has the answer', 'With `digest`, only if that is what was answered.'),
        params: AskParams,
        body: Acknowledge,
        response: replies({ 200: AskView }),
      },
    },
    (request) => acknowledge(request, request.params.ask_id, { state: 'delivered', digest: request.body.digest }),
  );

  app.post(
    '/v1/asks/:ask_id/undeliverable',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('agents', 'The agent can never have the answer'),
        params: AskParams,
        body: Undeliverable,
        response: replies({ 200: AskView }),
      },
    },
    (request) => acknowledge(request, request.params.ask_id, { state: 'undeliverable', reason: request.body.reason }),
  );

  app.post(
    '/v1/asks/:ask_id/withdraw',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about(
          'agents',
          'The agent takes an ask back',
          'It was settled at its own prompt, or is not needed any more.',
        ),
        params: AskParams,
        body: Withdraw,
        response: replies({ 200: AskView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { justification, answers } = body;
      const command = { askId: params.ask_id, justification, answers, actor, leaseEpoch: leaseOf(request), key };
      return (await gateway.withdraw(command)).view;
    },
  );
};

/** A partial_state has a limit of its own; whatever else is in the body has the ordinary one. */
function beyondState({ body, headers }: FastifyRequest, limit: number): Error | undefined {
  if (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= limit) return undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  const { partial_state: _, ...rest } = body as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(rest)) <= limit) return undefined;
  return fail('body_too_large', `A body has at most ${limit} bytes, without its partial_state.`);
}
