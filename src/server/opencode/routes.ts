// Adds the routes of OpenCode's own server under /opencode, so that its clients see and decide the asks of every agent.
// Only translates: authorisation, decisions and the log are those of the other routes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../core/token.ts';
import { ANSWERERS, READERS } from '../auth.ts';
import { INTERNAL, refusalOf } from '../problem.ts';
import type { App, Context } from '../routes/route.ts';
import { directoryOf } from './directory.ts';
import { badRequest, DoorError, notFound, sendDoorError, sendRefusal } from './errors.ts';
import { answersIn, messageIn, objectIn, replyIn, requestIdIn } from './payload.ts';
import { permissionOf } from './permission.ts';
import { DOOR } from './protocol.ts';
import { questionOf } from './question.ts';
import { type Caller, pendingOf, replyToPermission, replyToQuestion } from './requests.ts';
import { sessionOf } from './session.ts';
import { findSession, listMessages, listSessions, statuses } from './sessions.ts';
import { settingsOf } from './settings.ts';
import { addStreams } from './streams.ts';

type Query = Record<string, string | undefined>;
type Handler = (call: Caller & { request: FastifyRequest; params: Record<string, string>; query: Query }) => unknown;

export function addOpencode(context: Context, version: string): void {
  const { app, gateway } = context;
  const limit = app.initialConfig.bodyLimit ?? 0;
  app.register(
    async (own) => {
      own.setErrorHandler((error, request, reply) => {
        if (error instanceof DoorError) return sendDoorError(reply, error);
        const refusal = refusalOf(error, limit);
        if (!refusal) request.log.error({ err: error, method: request.method, url: request.url }, 'request failed');
        return sendRefusal(reply, refusal ?? INTERNAL);
      });
      own.setNotFoundHandler(({ method, url }, reply) =>
        sendDoorError(reply, notFound(`Holdpoint has no ${method} ${url.split('?')[0]}`)),
      );
      const add = (scopes: readonly Scope[], operation: string, handle: Handler) => {
        const [method = '', url = ''] = operation.split(' ');
        const handler = async (request: FastifyRequest, reply: FastifyReply) =>
          reply.send(await handle(callOf(request)));
        own.route({ method, url, config: { scopes }, handler } as never);
      };
      addRequests(add);
      addSessions(add, version);
      for (const [path, setting] of Object.entries(settingsOf(version)))
        add(READERS, `GET ${path}`, ({ directory = '/' }) => setting(directory));
      addStreams(own as unknown as App, context, version);
    },
    { prefix: DOOR },
  );

  const callOf = (request: FastifyRequest) => ({
    request,
    params: request.params as Record<string, string>,
    query: queryOf(request),
    gateway,
    actor: { ...request.actor, surface: 'opencode' as const },
    directory: directoryOf(request),
  });
}

type Add = (scopes: readonly Scope[], operation: string, handle: Handler) => void;

function addRequests(add: Add): void {
  add(READERS, 'GET /permission', async (call) => (await pendingOf('approval', call)).map(permissionOf));
  add(READERS, 'GET /question', async (call) => (await pendingOf('question', call)).map(questionOf));

  add(ANSWERERS, 'POST /permission/:permission_id/reply', async ({ request, params, ...caller }) => {
    const requestId = requestIdIn(params.permission_id ?? '', 'per');
    const body = objectIn(request.body);
    await replyToPermission(caller, { requestId }, replyIn(body, 'reply'), messageIn(body));
    return true;
  });

  add(
    ANSWERERS,
    'POST /session/:conversation_id/permissions/:permission_id',
    async ({ request, params, ...caller }) => {
      const requestId = requestIdIn(params.permission_id ?? '', 'per');
      const reply = replyIn(objectIn(request.body), 'response');
      const { session_id: sessionId } = await findSession(caller, params.conversation_id ?? '');
      await replyToPermission(caller, { requestId, sessionId }, reply, undefined);
      return true;
    },
  );

  add(ANSWERERS, 'POST /question/:question_id/reply', async ({ request, params, ...caller }) => {
    const requestId = requestIdIn(params.question_id ?? '', 'que');
    await replyToQuestion(caller, { requestId }, answersIn(objectIn(request.body)));
    return true;
  });

  add(ANSWERERS, 'POST /question/:question_id/reject', async ({ params, ...caller }) => {
    await replyToQuestion(caller, { requestId: requestIdIn(params.question_id ?? '', 'que') }, undefined);
    return true;
  });
}

function addSessions(add: Add, version: string): void {
  add(READERS, 'GET /session', async ({ query, ...caller }) => {
    const { search, roots } = query;
    const limits = { limit: numberIn(query, 'limit'), start: numberIn(query, 'start') };
    const sessions = await listSessions(caller, { ...limits, search, roots: roots === 'true' });
    return sessions.map((session) => sessionOf(session, version));
  });
  add(READERS, 'GET /session/status', statuses);
  add(READERS, 'GET /session/:conversation_id', async ({ params, ...caller }) =>
    sessionOf(await findSession(caller, params.conversation_id ?? ''), version),
  );
  add(READERS, 'GET /session/:conversation_id/message', async ({ params, query, ...caller }) => {
    const session = await findSession(caller, params.conversation_id ?? '');
    return listMessages(caller, session, numberIn(query, 'limit'));
  });
  add(READERS, 'GET /session/:conversation_id/children', async ({ params, ...caller }) => {
    const { session_id: parent } = await findSession(caller, params.conversation_id ?? '');
    const all = { limit: undefined, start: undefined, search: undefined, roots: false };
    return (await listSessions(caller, { ...all, parent })).map((session) => sessionOf(session, version));
  });
  for (const nothing of ['todo', 'diff'])
    add(READERS, `GET /session/:conversation_id/${nothing}`, async ({ params, ...caller }) => {
      await findSession(caller, params.conversation_id ?? '');
      return [];
    });
}

/** One value for each name. */
function queryOf({ query }: FastifyRequest): Query {
  for (const [name, value] of Object.entries(query as object))
    if (typeof value !== 'string')
      throw badRequest(`Expected string, got ${JSON.stringify(value)}\n  at ["${name}"]`, 'Query');
  return query as Query;
}

function numberIn(query: Query, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || number < 0)
    throw badRequest(`Expected a number, got ${JSON.stringify(text)}\n  at ["${name}"]`, 'Query');
  return number;
}
