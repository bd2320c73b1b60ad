// Stands between an editor and an ACP agent: passes every message on as it is, and raises what the agent asks the editor as an
// ask too. The first answer counts, and the agent gets exactly one: an answer from here ends the editor's prompt
// ($/cancel_request), one of the editor withdraws the ask, and whatever comes later is dropped.
import type { CreateElicitationRequest, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { settling } from '../kit/attached-session.ts';
import type { EditorProxies, EditorProxy, EditorProxyContext } from '../kit/editor-proxy.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { parsedJson } from '../wire/json-rpc.ts';
import type { Decision } from './decisions.ts';
import { createEditorSessions, endAbandonedRun } from './editor-sessions.ts';

const Id = z.union([z.string(), z.number()]);
const Request = z.looseObject({ id: Id, method: z.string(), params: z.looseObject({}) });
const Response = z.looseObject({ id: Id, method: z.undefined().optional() });
const Cancelled = z.looseObject({ method: z.literal('$/cancel_request'), params: z.looseObject({ requestId: Id }) });
const SessionScope = z.looseObject({ sessionId: z.string() });
const Permission = SessionScope.extend({
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});

const IN_EDITOR = 'answered in the editor';
const GIVEN_UP = 'the agent withdrew its request';
const TURN_ENDED = 'its turn ended';

type InFlight = ReturnType<typeof createInFlight>;

interface AskedRequest {
  sessionId: string;
  /** The agent has its one answer. */
  isSettled: boolean;
}

export const proxies: EditorProxies = { create: createProxy, endAbandoned: endAbandonedRun };

function createProxy(context: EditorProxyContext): EditorProxy {
  const { toEditor, toAgent, onNotAsked } = context;
  const sessions = createEditorSessions(context);
  const pending = createPendingAsks<string, AskedRequest>(settling(context.client));
  /** Requests of the agent that the editor has not responded to, also once they are settled. */
  const unanswered = new Map<string, PendingAsk & AskedRequest>();
  /** Asks by session, until the server has recorded how they ended. */
  const raising = new Map<string, InFlight>();
  const ending = createInFlight();
  const send = (to: (line: string) => void, message: object) => to(JSON.stringify({ jsonrpc: '2.0', ...message }));

  /** Whether the agent may still get an answer: the caller then gives it. */
  function settle(ask: PendingAsk & AskedRequest, withdrawal?: string): boolean {
    if (ask.isSettled) return false;
    ask.isSettled = true;
    if (withdrawal !== undefined) ask.withdraw(withdrawal);
    ask.done();
    return true;
  }

  async function raise(request: z.infer<typeof Request>, ask: PendingAsk & AskedRequest): Promise<void> {
    try {
      const { decisions, acknowledge } = await sessions.turnOf(ask.sessionId);
      const { id, method, params } = request;
      const decision: Decision<unknown> =
        method === 'elicitation/create'
          ? await decisions.elicitation(params as unknown as CreateElicitationRequest, String(id), ask.options)
          : await decisions.permission(Permission.parse(params) as unknown as RequestPermissionRequest, ask.options);
      if (ask.isOver() || !settle(ask)) return;
      send(toAgent, { id, result: decision.reply });
      send(toEditor, { method: '$/cancel_request', params: { requestId: id } });
      if (decision.askId !== undefined) await acknowledge(decision.askId);
    } catch (error) {
      if (ask.isOver() || ask.isSettled) return;
      // The editor's prompt stays open: it is answered there.
      onNotAsked((error as Error).message);
    } finally {
      await ask.recorded();
    }
  }

  function received(message: unknown): void {
    const request = Request.safeParse(message).data;
    const { sessionId } = SessionScope.safeParse(request?.params).data ?? {};
    const isAsked = request?.method === 'session/request_permission' || request?.method === 'elicitation/create';
    if (!request || !isAsked || sessionId === undefined) return;
    const key = keyOf(request.id);
    const ask = pending.open(key, { sessionId, isSettled: false });
    unanswered.set(key, ask);
    const ofSession = raising.get(sessionId) ?? createInFlight();
    raising.set(sessionId, ofSession);
    ofSession.add(raise(request, ask));
  }

  return {
    fromAgent(line) {
      toEditor(line);
      const message = parsedJson(line);
      received(message);
      const cancelled = Cancelled.safeParse(message).data;
      const ask = cancelled && unanswered.get(keyOf(cancelled.params.requestId));
      if (ask) settle(ask, GIVEN_UP);
      const ended = sessions.responded(message);
      if (ended === undefined) return;
      for (const open of pending.all()) if (open.sessionId === ended.sessionId) settle(open, TURN_ENDED);
      const recorded = raising.get(ended.sessionId)?.settled() ?? Promise.resolve();
      ending.add(recorded.then(ended.end));
    },
    fromEditor(line) {
      const message = parsedJson(line);
      const response = Response.safeParse(message).data;
      const key = response && keyOf(response.id);
      const ask = key === undefined ? undefined : unanswered.get(key);
      if (ask && key !== undefined) {
        unanswered.delete(key);
        if (!settle(ask, IN_EDITOR)) return;
      }
      sessions.requested(message);
      toAgent(line);
    },
    async close() {
      for (const ask of pending.all()) settle(ask, 'the editor or the agent is gone');
      await Promise.all([...raising.values(), ending].map((inFlight) => inFlight.settled()));
      await sessions.close();
    },
  };
}

/** A number and a text are different ids. */
const keyOf = (id: string | number): string => JSON.stringify(id);
