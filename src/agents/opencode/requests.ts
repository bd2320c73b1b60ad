// Carries each request of OpenCode to a person as one ask, and the decision back as its reply. Owns which requests are open,
// and withdraws the ask of one that OpenCode settled by itself. OpenCode would still act on an allow after its turn was
// aborted, so every request of a session is rejected when its turn ends, and no allow is sent after that.
//   open ─► decided ─► sent ─┬─ taken ─► delivered
//     │        │ (a denial   ├─ not reached: repeated until it is taken, or the request is settled or ended
//     │        │  may wait)  └─ settled with another reply ─► undeliverable
//     └────────┴─ settled in OpenCode, or the session is idle or deleted: withdrawn; if decided, undeliverable
import { backoffMs, HoldpointProblem, sleep } from '../../client/http.ts';
import type { AgentContext } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { HttpRefusal } from '../wire/http-peer.ts';
import { on } from '../wire/json-rpc.ts';
import { type Api, NOT_WAITING, type PermissionReply, type QuestionReply } from './api.ts';
import { createDecisions, type Decision, type DecisionParts } from './decisions.ts';
import { PermissionAsked, QuestionAsked, type Request, RequestSettled } from './protocol.ts';
import { createSideQuestions } from './side-questions.ts';

export type Requests = ReturnType<typeof createRequests>;

interface OpenRequest {
  readonly request: Request;
  /** A denial that waits for the other permissions of the session: OpenCode rejects all of them with the first. */
  denied?: { message: string; send(messageOfAll?: string): Promise<void>; forget(): void };
  isSent?: boolean;
  /** Resolves when OpenCode reports that the request is settled, and with what. */
  readonly settlement: PromiseWithResolvers<Settlement>;
}

/** `reply`: of a permission that was answered. */
type Settlement = { reply?: string | null | undefined };

export interface RequestParts extends Omit<DecisionParts, 'context' | 'api' | 'sideQuestions' | 'isShared'> {
  context: DecisionParts['context'] & Pick<AgentContext, 'withdraw' | 'markUndeliverable'>;
  api: Pick<Api, 'call' | 'replyTo' | 'reject' | 'isBusy' | 'isFollowing' | 'fork' | 'say' | 'abort' | 'remove'>;
  lineageOf(request: Request): Promise<string[]>;
  /** Other clients answer too, and an allow of theirs would overtake a denial that is not sent at once. */
  isShared?: boolean;
  /** Aborted when the run belongs to this worker no longer: no reply may let OpenCode continue. */
  signal?: AbortSignal | undefined;
  onRaised?(askId: string): void;
}

export const SETTLED = 'settled in OpenCode itself';
export const UNCONFIRMED = 'settled in OpenCode, perhaps with this answer';
const settledText = ({ reply }: Settlement): string => {
  if (!reply) return SETTLED;
  return reply === 'reject' ? 'rejected in OpenCode itself' : 'allowed in OpenCode itself';
};
/** A reply is found only in the folder of its request. */
const notFoundIn = (folder: string): string =>
  `OpenCode has no such request in the folder ${folder}: it was settled there, or belongs to another folder`;
const ONLY_ONCE = 'This was allowed once, and not always: OpenCode would also have allowed what was denied beside it.';
const REJECT_TRIES = 5;

export function createRequests(parts: RequestParts) {
  const { context, api, lineageOf, signal, onRaised, isShared = false } = parts;
  const pending = createPendingAsks<string, OpenRequest>(context);
  const decide = createDecisions({ ...parts, sideQuestions: createSideQuestions(api), isShared });
  /** A request is handled once, however often OpenCode lists it. */
  const seen = new Set<string>();
  const [handling, raising, recording] = [createInFlight(), createInFlight(), createInFlight()];
  const rejecting = createInFlight();

  const permissionsOf = (sessionId: string) =>
    pending.all().filter(({ request: { kind, asked } }) => kind === 'permission' && asked.sessionID === sessionId);

  /** Sends the denials of a session once nothing else is undecided: the first carries all reasons to the model. */
  async function flush(sessionId: string): Promise<void> {
    const open = permissionsOf(sessionId);
    if (!isShared && open.some(({ denied }) => !denied)) return;
    const unsent = open.filter(({ denied, isSent }) => denied && !isSent);
    const [first, ...others] = unsent.flatMap(({ denied }) => denied ?? []);
    if (!first) return;
    for (const ask of unsent) ask.isSent = true;
    await first.send([...new Set([first, ...others].map(({ message }) => message))].join('\n'));
    for (const other of others) await other.send();
  }

  async function send(ask: PendingAsk & OpenRequest, { reply, askId }: Decision): Promise<void> {
    if ('message' in reply) return sendDenial(ask, reply.message, askId);
    ask.isSent = true;
    conclude(ask, askId, await deliver(ask, await besideDenials(reply)));
  }

  /** With an "always" OpenCode allows every open request that it matches, also one that was denied here and waits to be sent. */
  async function besideDenials<Reply extends PermissionReply | QuestionReply>(reply: Reply) {
    const isAlways = 'reply' in reply && reply.reply === 'always';
    if (!isAlways || !pending.all().some(({ denied }) => denied)) return reply;
    await context.output(ONLY_ONCE, { type: 'status' }).catch(() => {});
    return { reply: 'once' as const };
  }

  /** Resolves when it was sent, perhaps much later, or is no longer needed. */
  function sendDenial(ask: PendingAsk & OpenRequest, message: string, askId: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const reply = async (messageOfAll?: string) => {
      const problem = await deliver(ask, { reply: 'reject', message: messageOfAll ?? message });
      const isFirst = messageOfAll !== undefined;
      // The denials behind the first were rejected along with it, unless they were allowed in OpenCode before.
      const isRejected = !isFirst && problem !== undefined && (await ask.settlement.promise).reply === 'reject';
      if (ask.isOver()) return;
      conclude(ask, askId, isRejected ? undefined : problem);
    };
    const send = (messageOfAll?: string) => reply(messageOfAll).then(resolve, reject);
    ask.denied = { message, send, forget: resolve };
    void flush(ask.request.asked.sessionID);
    return promise;
  }

  /**
   * Repeats a reply that did not reach OpenCode, because the person decided and OpenCode still waits. Resolves to why it was not
   * taken; undefined if it was. Rejects when the process is gone, or the connection to a person's own OpenCode.
   */
  async function deliver(
    { request, settlement, options }: PendingAsk & OpenRequest,
    reply: PermissionReply | QuestionReply,
  ): Promise<string | undefined> {
    let settled: Settlement | undefined;
    void settlement.promise.then((found) => {
      settled = found;
    });
    for (let failures = 0; ; failures++) {
      try {
        const isWaiting = 'message' in reply || (await isWaitingFor(request));
        if (settled) return notTaken(settled, reply, failures);
        if (signal?.aborted) throw signal.reason;
        if (!isWaiting) {
          await api.reject(request, NOT_WAITING);
          return NOT_WAITING;
        }
        if (await api.replyTo(request, reply)) return undefined;
        return settled ? notTaken(settled, reply, failures) : notFoundIn(request.directory);
      } catch (error) {
        if (signal?.aborted || !mayPass(error) || (isShared && !api.isFollowing())) throw error;
      }
      await Promise.race([settlement.promise, sleep(backoffMs(failures), options.signal)]);
      if (settled) return notTaken(settled, reply, 1);
    }
  }

  /** The end of its turn is known from the events, or OpenCode is asked: it would act on an allow after that end. */
  const isWaitingFor = async ({ directory, asked }: Request): Promise<boolean> =>
    api.isFollowing() || api.isBusy(directory, asked.sessionID);

  /** Repeats a rejection that did not reach OpenCode a few times: it may be overloaded at the end of a turn. */
  async function reject(request: Request, reason: string): Promise<void> {
    for (let failures = 0; failures < REJECT_TRIES; failures++) {
      if (failures > 0) await sleep(backoffMs(failures));
      const error = await api.reject(request, reason).then(
        () => undefined,
        (found: unknown) => found,
      );
      if (error === undefined || !mayPass(error)) return;
    }
  }

  /** `problem`: why OpenCode did not take the answer. */
  function conclude(ask: PendingAsk, askId: string | undefined, problem: string | undefined): void {
    ask.done();
    if (askId === undefined) return;
    recording.add(problem === undefined ? context.acknowledge(askId) : context.markUndeliverable(askId, problem));
  }

  async function handle(request: Request): Promise<void> {
    const { id, sessionID } = request.asked;
    const { promise, resolve: isRaised } = Promise.withResolvers<void>();
    raising.add(promise);
    const ask = pending.open(id, { request, settlement: Promise.withResolvers() }, (askId) => {
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

  function settle(ask: PendingAsk & OpenRequest, reason: string, settlement: Settlement = {}): void {
    ask.settlement.resolve(settlement);
    if (ask.isSent) return;
    ask.withdraw(reason);
    ask.done();
    ask.denied?.forget();
    void flush(ask.request.asked.sessionID);
  }

  /** None of them takes an answer any more before the first is rejected: that may take a while. */
  async function end(asks: readonly (PendingAsk & OpenRequest)[], reason: string): Promise<void> {
    for (const ask of asks) settle(ask, reason);
    // Also one whose reply is on its way: if OpenCode has that, it has the request no longer.
    for (const { request } of asks) rejecting.add(reject(request, reason));
    await rejecting.settled();
  }

  return {
    receive(request: Request): void {
      if (seen.has(request.asked.id)) return;
      seen.add(request.asked.id);
      handling.add(handle(request));
    },
    /** OpenCode has a reply, from here or elsewhere. */
    settled(requestId: string, settlement: Settlement = {}): void {
      const ask = pending.get(requestId);
      if (ask) settle(ask, settledText(settlement), settlement);
    },
    /** Nothing of this session is waited for any more: rejects what is open, so that a late allow changes nothing. */
    sessionEnded: (sessionId: string, reason = NOT_WAITING): Promise<void> =>
      end(
        pending.all().filter(({ request }) => request.asked.sessionID === sessionId),
        reason,
      ),
    /** The same for every session. */
    turnEnded: (): Promise<void> => end(pending.all(), NOT_WAITING),
    open: (): Request[] => pending.all().map(({ request }) => request),
    /** Resolves when every request received so far is stored as an ask, or known not to become one. */
    raised: raising.settled,
    handled: handling.settled,
    /** Resolves when the server has recorded which answers reached OpenCode. */
    recorded: recording.settled,
    /** The connection is gone: nothing can be answered through it. */
    close(): void {
      pending.close();
      for (const { settlement } of pending.all()) settlement.resolve({});
    },
    hasUnanswered: () => pending.hasUnanswered(),
  };
}

/** Why a reply was not taken. One that failed before may be the reply with which OpenCode settled the request. */
const notTaken = (settled: Settlement, reply: PermissionReply | QuestionReply, failures: number): string => {
  const mayBeThis = failures > 0 && (!settled.reply || ('reply' in reply && reply.reply === settled.reply));
  return mayBeThis ? UNCONFIRMED : settledText(settled);
};

/** OpenCode could not be reached, or could not handle the reply at the moment. */
const mayPass = (error: unknown): boolean => !(error instanceof HttpRefusal) || error.status >= 500;

const isRefusal = (error: unknown): boolean => error instanceof HttpRefusal || error instanceof HoldpointProblem;

/** Handles the events about requests. */
export const requestEvents = ({ receive, settled }: Pick<Requests, 'receive' | 'settled'>) => [
  on('permission.asked', PermissionAsked, ({ directory, ...asked }) =>
    receive({ kind: 'permission', directory, asked }),
  ),
  on('question.asked', QuestionAsked, ({ directory, ...asked }) => receive({ kind: 'question', directory, asked })),
  ...['permission.replied', 'question.replied', 'question.rejected'].map((type) =>
    on(type, RequestSettled, ({ requestID, reply }) => settled(requestID, { reply })),
  ),
];
