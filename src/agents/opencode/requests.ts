// Carries each request of OpenCode to a person as one ask, and the decision back as its reply. Owns which requests are open,
// and withdraws the ask of one that OpenCode settled by itself. OpenCode would still act on an allow after its turn was
// aborted, so every request of a session is rejected when its turn ends, and no allow is sent after that.
//   open ─► decided ─┬─ allow, answer: sent at once                      ─► delivered, or undeliverable if it was gone
//     │              └─ deny: sent when no permission of the session is undecided
//     └─ settled in OpenCode, or the session is idle: withdrawn
import { HoldpointProblem } from '../../client/http.ts';
import type { AgentContext } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { HttpRefusal } from '../wire/http-peer.ts';
import { on } from '../wire/json-rpc.ts';
import type { Api } from './api.ts';
import { createDecisions, type Decision, type DecisionParts } from './decisions.ts';
import { PermissionAsked, QuestionAsked, type Request, RequestSettled } from './protocol.ts';
import { createSideQuestions } from './side-questions.ts';

export type Requests = ReturnType<typeof createRequests>;

interface OpenRequest {
  readonly request: Request;
  /** A denial that waits for the other permissions of the session: OpenCode rejects all of them with the first. */
  denied?: { message: string; send(messageOfAll?: string): Promise<void>; forget(): void };
  isSent?: boolean;
}

export interface RequestParts extends Omit<DecisionParts, 'context' | 'api' | 'sideQuestions' | 'isShared'> {
  context: DecisionParts['context'] & Pick<AgentContext, 'withdraw' | 'markUndeliverable'>;
  api: Pick<Api, 'call' | 'replyTo' | 'reject' | 'isBusy' | 'isFollowing' | 'fork' | 'say' | 'abort' | 'remove'>;
  lineageOf(request: Request): Promise<string[]>;
  isShared?: boolean;
  /** Aborted when the run belongs to this worker no longer: no reply may let OpenCode continue. */
  signal?: AbortSignal | undefined;
  onRaised?(askId: string): void;
}

export const SETTLED = 'settled in OpenCode itself';
/** A reply is found only in the folder of its request. */
const notFoundIn = (folder: string): string =>
  `OpenCode has no such request in the folder ${folder}: it was settled there, or belongs to another folder`;
const NOT_WAITING = 'OpenCode no longer waits for it: its turn has ended';

export function createRequests(parts: RequestParts) {
  const { context, api, lineageOf, signal, onRaised, isShared = false } = parts;
  const pending = createPendingAsks<string, OpenRequest>(context);
  const decide = createDecisions({ ...parts, sideQuestions: createSideQuestions(api), isShared });
  /** A request is handled once, however often OpenCode lists it. */
  const seen = new Set<string>();
  const [handling, raising, recording] = [createInFlight(), createInFlight(), createInFlight()];

  const permissionsOf = (sessionId: string) =>
    pending.all().filter(({ request: { kind, asked } }) => kind === 'permission' && asked.sessionID === sessionId);

  /** Sends the denials of a session once nothing else is undecided: the first carries all reasons to the model. */
  async function flush(sessionId: string): Promise<void> {
    const open = permissionsOf(sessionId);
    if (open.some(({ denied }) => !denied)) return;
    const unsent = open.filter(({ isSent }) => !isSent);
    const [first, ...others] = unsent.flatMap(({ denied }) => denied ?? []);
    if (!first) return;
    for (const ask of unsent) ask.isSent = true;
    await first.send([...new Set([first, ...others].map(({ message }) => message))].join('\n'));
    for (const other of others) await other.send();
  }

  async function send(ask: PendingAsk & OpenRequest, { reply, askId }: Decision): Promise<void> {
    const { request } = ask;
    if ('message' in reply) return sendDenial(ask, reply.message, askId);
    const isWaiting = api.isFollowing() || (await api.isBusy(request.directory, request.asked.sessionID));
    if (ask.isOver() || signal?.aborted) return;
    ask.isSent = true;
    if (!isWaiting) await api.reject(request, NOT_WAITING);
    const isTaken = isWaiting && (await api.replyTo(request, reply));
    conclude(ask, askId, isTaken, isWaiting ? notFoundIn(request.directory) : NOT_WAITING);
  }

  /** Resolves when it was sent, perhaps much later, or is no longer needed. */
  function sendDenial(ask: PendingAsk & OpenRequest, message: string, askId: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const reply = async (messageOfAll?: string) => {
      const isTaken = await api.replyTo(ask.request, { reply: 'reject', message: messageOfAll ?? message });
      // The denials behind the first were rejected along with it.
      conclude(ask, askId, isTaken || messageOfAll === undefined, notFoundIn(ask.request.directory));
    };
    const send = (messageOfAll?: string) => reply(messageOfAll).then(resolve, reject);
    ask.denied = { message, send, forget: resolve };
    void flush(ask.request.asked.sessionID);
    return promise;
  }

  function conclude(ask: PendingAsk, askId: string | undefined, isDelivered: boolean, reason: string): void {
    ask.done();
    if (askId === undefined) return;
    recording.add(isDelivered ? context.acknowledge(askId) : context.markUndeliverable(askId, reason));
  }

  async function handle(request: Request): Promise<void> {
    const { id, sessionID } = request.asked;
    const { promise, resolve: isRaised } = Promise.withResolvers<void>();
    raising.add(promise);
    const ask = pending.open(id, { request }, (askId) => {
      onRaised?.(askId);
      isRaised();
    });
    try {
      const decision = await decide(request, await lineageOf(request), ask.options);
      if (ask.isOver() || signal?.aborted) return;
      if (!decision) return ask.done();
      await send(ask, decision);
    } catch (error) {
      // OpenCode that cannot be reached is about to be known as gone: the ask stays unanswered, for its next process.
      if (ask.isOver() || signal?.aborted || !isRefusal(error)) return;
      ask.done();
      await reportNotAsked(request, error);
    } finally {
      isRaised();
      void flush(sessionID);
      await ask.recorded();
    }
  }

  async function reportNotAsked(request: Request, error: unknown): Promise<void> {
    const why = error instanceof Error ? error.message : String(error);
    const what = isShared ? 'can only be answered at its own prompt' : 'was refused';
    const text = `A request of OpenCode could not be asked, and ${what}: ${why}`;
    await context.output(text, { type: 'status' }).catch(() => {});
    if (!isShared) await api.reject(request, `The person could not be asked: ${why}`).catch(() => {});
  }

  function settle(ask: PendingAsk & OpenRequest, reason: string): void {
    if (ask.isSent) return;
    ask.withdraw(reason);
    ask.done();
    ask.denied?.forget();
    void flush(ask.request.asked.sessionID);
  }

  return {
    receive(request: Request): void {
      if (seen.has(request.asked.id)) return;
      seen.add(request.asked.id);
      handling.add(handle(request));
    },
    /** OpenCode has a reply, from here or elsewhere. */
    settled(requestId: string): void {
      const ask = pending.get(requestId);
      if (ask) settle(ask, SETTLED);
    },
    /** Nothing of this session is waited for any more: rejects what is open, so that a late allow changes nothing. */
    async sessionEnded(sessionId: string): Promise<void> {
      for (const ask of pending.all()) {
        if (ask.request.asked.sessionID !== sessionId || ask.isSent) continue;
        settle(ask, NOT_WAITING);
        await api.reject(ask.request, NOT_WAITING).catch(() => {});
      }
    },
    open: (): Request[] => pending.all().map(({ request }) => request),
    /** Resolves when every request received so far is stored as an ask, or known not to become one. */
    raised: raising.settled,
    handled: handling.settled,
    /** Resolves when the server has recorded which answers reached OpenCode. */
    recorded: recording.settled,
    /** The connection is gone: nothing can be answered through it. */
    close: () => pending.close(),
    hasUnanswered: () => pending.hasUnanswered(),
  };
}

const isRefusal = (error: unknown): boolean => error instanceof HttpRefusal || error instanceof HoldpointProblem;

/** Handles the events about requests. */
export const requestEvents = ({ receive, settled }: Pick<Requests, 'receive' | 'settled'>) => [
  on('permission.asked', PermissionAsked, ({ directory, ...asked }) =>
    receive({ kind: 'permission', directory, asked }),
  ),
  on('question.asked', QuestionAsked, ({ directory, ...asked }) => receive({ kind: 'question', directory, asked })),
  ...['permission.replied', 'question.replied', 'question.rejected'].map((type) =>
    on(type, RequestSettled, ({ requestID }) => settled(requestID)),
  ),
];
