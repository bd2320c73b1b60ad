// Stands between an editor and an ACP agent: passes every message on as it is, and raises what the agent asks the editor as an
// ask too. The first answer counts, and the agent gets exactly one: an answer from here ends the editor's prompt
// ($/cancel_request), one of the editor withdraws the ask, and whatever comes later is dropped. An ask ends without an answer
// with the turn in which it was raised, or when the editor cancels the turn; the editor's response is still passed on. A request
// under the id of one that the editor has not answered is refused: an answer could be taken for either.
import type { CreateElicitationRequest, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { settling } from '../kit/attached-session.ts';
import type { EditorProxies, EditorProxy, EditorProxyContext } from '../kit/editor-proxy.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { parsedJson } from '../wire/json-rpc.ts';
import type { Decision } from './decisions.ts';
import { createEditorSessions, endAbandonedRun, GONE, TURN_ENDED } from './editor-sessions.ts';
import { type Envelope, envelopeOf, requestKeyOf } from './envelope.ts';

const Id = z.union([z.string(), z.number()]);
const Request = z.looseObject({ id: Id, method: z.string(), params: z.unknown() });
const Cancelled = z.looseObject({ method: z.literal('$/cancel_request') });
const Asking = z.looseObject({
  sessionId: z.string(),
  toolCallId: z.string().optional(),
  toolCall: z.looseObject({ toolCallId: z.string() }).optional(),
});
const Permission = z.looseObject({
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
const Reported = z.looseObject({
  method: z.literal('session/update'),
  params: z.looseObject({ sessionId: z.string(), update: z.looseObject({ toolCallId: z.string() }) }),
});

const ID_IN_USE = { code: -32600, message: 'The id belongs to a request that is not answered.' };
const UNCLEAR = {
  code: -32600,
  message: 'Not one message: a batch, a member given twice, or neither a call nor a response.',
};
const OPTIONS = 'its options cannot be read: each needs an optionId, a name and a kind';
const IN_EDITOR = 'answered in the editor';
const CANCELLED_THERE = 'cancelled in the editor';
const GIVEN_UP = 'the agent withdrew its request';
const ID_REUSED = 'the agent used the id of this request again';
const UNCONFIRMED = 'the agent was gone before it had shown that it had the answer';

type InFlight = ReturnType<typeof createInFlight>;

interface AskedRequest {
  sessionId: string;
  toolCallId: string | undefined;
  /** The prompts in flight when it was raised, without those that have ended: with the last its turn ends. */
  turns: Set<string>;
}

/** A request of any method. */
interface OpenRequest {
  ask?: PendingAsk & AskedRequest;
  /** The agent has a reply from here, so that of the editor is dropped. How the ask ended says nothing about that. */
  isReplied: boolean;
}

/** An answer that was sent to the agent, which has not shown that it has it. */
interface SentAnswer extends Pick<AskedRequest, 'sessionId' | 'toolCallId' | 'turns'> {
  askId: string;
}

export const proxies: EditorProxies = { create: createProxy, endAbandoned: endAbandonedRun };

function createProxy(context: EditorProxyContext): EditorProxy {
  const { toEditor, toAgent, onNotAsked } = context;
  const sessions = createEditorSessions(context);
  const { acknowledge, markUndeliverable, withdraw } = settling(context.client);
  const pending = createPendingAsks<string, AskedRequest>({ withdraw, markUndeliverable });
  /** Requests of the agent that the editor has not responded to, also once their asks have ended. */
  const unanswered = new Map<string, OpenRequest>();
  const sent = new Set<SentAnswer>();
  /** Asks by session, until the server has recorded how they ended. */
  const raising = new Map<string, InFlight>();
  const ending = createInFlight();
  const reply = (to: (line: string) => void, idText: string, message: object) =>
    to(`{"jsonrpc":"2.0","id":${idText},${JSON.stringify(message).slice(1)}`);

  function inFlightOf(sessionId: string): InFlight {
    const inFlight = raising.get(sessionId) ?? createInFlight();
    raising.set(sessionId, inFlight);
    return inFlight;
  }

  /** Ends the ask only: the editor may still respond to the request. */
  function end(ask: PendingAsk & AskedRequest, withdrawal: string): void {
    ask.withdraw(withdrawal);
    ask.done();
    endRunOf(ask.sessionId);
  }

  /** Of a session that waits for nothing: what it asks next gets a run of its own. */
  function endRunOf(sessionId: string): void {
    const isOfIt = (one: { sessionId: string }) => one.sessionId === sessionId;
    if (sessions.promptsOf(sessionId).length > 0 || [...pending.all(), ...sent].some(isOfIt)) return;
    const recorded = inFlightOf(sessionId).settled();
    raising.delete(sessionId);
    ending.add(sessions.endTurn(sessionId, recorded));
  }

  async function raise(
    request: z.infer<typeof Request>,
    idText: string,
    open: OpenRequest,
    ask: PendingAsk & AskedRequest,
  ): Promise<void> {
    try {
      const { decisions } = await sessions.turnOf(ask.sessionId);
      const { id, method, params } = request;
      const decision: Decision<unknown> =
        method === 'elicitation/create'
          ? await decisions.elicitation(params as CreateElicitationRequest, String(id), ask.options)
          : await decisions.permission(permissionOf(params), ask.options);
      if (ask.isOver()) return;
      open.isReplied = true;
      ask.done();
      const { sessionId, toolCallId, turns } = ask;
      if (decision.askId !== undefined) sent.add({ sessionId, toolCallId, turns, askId: decision.askId });
      reply(toAgent, idText, { result: decision.reply });
      toEditor(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${idText}}}`);
    } catch (error) {
      if (ask.isOver()) return;
      // The editor's prompt stays open: it is answered there.
      onNotAsked((error as Error).message);
    } finally {
      await ask.recorded();
    }
  }

  function received(request: z.infer<typeof Request>, { key, idText }: Envelope): void {
    const open: OpenRequest = { isReplied: false };
    unanswered.set(key, open);
    const isAsked = request.method === 'session/request_permission' || request.method === 'elicitation/create';
    const asking = isAsked ? Asking.safeParse(request.params).data : undefined;
    if (!asking) return;
    const { sessionId, toolCallId = asking.toolCall?.toolCallId } = asking;
    if (!sessions.isOpen(sessionId)) {
      onNotAsked('it is for a session that the editor has not opened');
      return;
    }
    const prompts = sessions.promptsOf(sessionId);
    if (prompts.length > 0 && prompts.every(({ isCancelled }) => isCancelled)) {
      onNotAsked('its turn was cancelled there');
      return;
    }
    const turns = new Set(prompts.map((prompt) => prompt.key));
    const ask = pending.open(key, { sessionId, toolCallId, turns });
    open.ask = ask;
    inFlightOf(sessionId).add(raise(request, idText, open, ask));
  }

  /** Refuses a request whose id is in use, and ends the one that has it: the agent may take a reply for either. */
  function refuseReused({ key, idText }: Envelope): boolean {
    const open = unanswered.get(key);
    if (!open) return false;
    if (open.ask) end(open.ask, ID_REUSED);
    open.isReplied = true;
    reply(toAgent, idText, { error: ID_IN_USE });
    onNotAsked('the agent used the id of a request that is not answered; it was refused');
    return true;
  }

  /** The agent has shown that it has these answers. */
  function confirm(has: (answer: SentAnswer) => boolean): void {
    for (const answer of [...sent].filter(has)) {
      sent.delete(answer);
      inFlightOf(answer.sessionId).add(acknowledge(answer.askId));
      endRunOf(answer.sessionId);
    }
  }

  return {
    fromAgent(line) {
      const message = parsedJson(line);
      const envelope = envelopeOf(line);
      // What is no object is the program's own output, which an editor ignores.
      if (!envelope && typeof message === 'object' && message !== null)
        return reply(toAgent, 'null', { error: UNCLEAR });
      const request = envelope?.kind === 'request' ? Request.safeParse(message).data : undefined;
      if (envelope && request && refuseReused(envelope)) return;
      toEditor(line);
      if (envelope && request) return received(request, envelope);
      const ask = Cancelled.safeParse(message).success && unanswered.get(requestKeyOf(line) ?? '')?.ask;
      if (ask) end(ask, GIVEN_UP);
      const reported = Reported.safeParse(message).data?.params;
      if (reported) confirm((a) => a.sessionId === reported.sessionId && a.toolCallId === reported.update.toolCallId);
      const ended = sessions.responded(message);
      if (ended === undefined) return;
      const { sessionId, key } = ended;
      for (const open of pending.all())
        if (open.sessionId === sessionId && open.turns.delete(key) && open.turns.size === 0) end(open, TURN_ENDED);
      for (const { turns } of sent) turns.delete(key);
      confirm((answer) => answer.sessionId === sessionId && answer.turns.size === 0);
      endRunOf(sessionId);
    },
    fromEditor(line) {
      const message = parsedJson(line);
      const envelope = envelopeOf(line);
      if (!envelope) return reply(toEditor, 'null', { error: UNCLEAR });
      if (envelope.kind === 'response') {
        const open = unanswered.get(envelope.key);
        unanswered.delete(envelope.key);
        if (!open || open.isReplied) return;
        if (open.ask) end(open.ask, IN_EDITOR);
      }
      const cancelled = sessions.requested(message);
      for (const open of pending.all()) if (open.sessionId === cancelled) end(open, CANCELLED_THERE);
      toAgent(line);
    },
    async close() {
      for (const ask of pending.all()) ask.withdraw(GONE);
      for (const { sessionId, askId } of sent) inFlightOf(sessionId).add(markUndeliverable(askId, UNCONFIRMED));
      await Promise.all([...raising.values(), ending].map((inFlight) => inFlight.settled()));
      await sessions.close();
    },
  };
}

function permissionOf(params: unknown): RequestPermissionRequest {
  const { data } = Permission.safeParse(params);
  if (!data) throw new Error(OPTIONS);
  return data as unknown as RequestPermissionRequest;
}
