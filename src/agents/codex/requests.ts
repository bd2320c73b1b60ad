// Carries each request of Codex to a person as one ask, and the decision back as its JSON-RPC response. Owns which requests
// are open and withdraws the ask of one that Codex settled by itself; what is decided about a request is in decisions.ts.
// A request that could not be asked gets an error response, unless other clients can answer it.
import type { AgentContext } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { INTERNAL_ERROR, type Incoming, METHOD_NOT_FOUND, type Peer, type RequestId } from '../wire/json-rpc.ts';
import type { ActiveItems } from './active-items.ts';
import { type Interpretation, interpret } from './asks.ts';
import { createDecisions, type DecisionParts } from './decisions.ts';
import { createDeliveries, SETTLED_IN_CODEX, type SentAnswer } from './delivery.ts';
import { createModelMessages, type UnsentMessages } from './model-messages.ts';
import { type ItemNotice, type TurnRef, turnRefOf } from './protocol.ts';
import { asyncQuestion, type QuestionAsk } from './questions.ts';

export type Requests = ReturnType<typeof createRequests>;

interface OpenRequest {
  readonly turn: TurnRef | undefined;
  /** What it asks about, where the item's end shows what was decided. */
  itemId?: string | undefined;
  sent?: SentAnswer;
}

export interface RequestParts
  extends Pick<DecisionParts, 'unusedApprovals' | 'rollouts' | 'lineageOf' | 'sideQuestions'>,
    Partial<Pick<DecisionParts, 'isShared'>> {
  context: DecisionParts['context'] & Pick<AgentContext, 'withdraw' | 'session'>;
  peer: Peer;
  activeItems: ActiveItems;
  /** Aborted when the run belongs to this worker no longer: no response may let Codex continue. */
  signal?: AbortSignal | undefined;
  onRaised?(askId: string): void;
}

export function createRequests(parts: RequestParts) {
  const { context, peer, activeItems, rollouts, signal, isShared = false, onRaised } = parts;
  const pending = createPendingAsks<RequestId, OpenRequest>(context);
  const asyncQuestions = createPendingAsks<QuestionAsk, OpenRequest>(context);
  const [handling, raising, answering] = [createInFlight(), createInFlight(), createInFlight()];
  const connectionId = crypto.randomUUID();
  const evidence = { hasItem: activeItems.hasItem, recordedCall: rollouts.recordedCall };
  const deliveries = createDeliveries(context, isShared ? evidence : undefined);
  const messages = createModelMessages(peer, context.acknowledge);
  const decisions = createDecisions({ ...parts, isShared, messages, deliveriesRecorded: deliveries.recorded });

  const read = (request: Incoming): Interpretation => {
    const folder = context.session.work_folder;
    return interpret(request, { folder, activeItems: activeItems.of, connectionId, nowMs: Date.now() });
  };

  /** The item that it refers to may have started before this client listened. */
  async function readLoaded(request: Incoming, turn: TurnRef | undefined): Promise<Interpretation> {
    const asked = read(request);
    if (asked.kind !== 'undisplayable' || !turn) return asked;
    await activeItems.load(turn.threadId).catch(() => {});
    return read(request);
  }

  /** Unless an answer was sent from here, it was answered elsewhere. */
  function withdrawUnsent({ sent, withdraw }: PendingAsk & OpenRequest): void {
    if (!sent) withdraw(SETTLED_IN_CODEX);
  }

  function settledByCodex(ask: PendingAsk & OpenRequest): void {
    withdrawUnsent(ask);
    ask.done();
  }

  async function handle(request: Incoming): Promise<void> {
    const { id } = request;
    const { promise, resolve: isRaised } = Promise.withResolvers<void>();
    raising.add(promise);
    const ask = pending.open(id, { turn: turnRefOf(request.params) }, (askId) => {
      onRaised?.(askId);
      isRaised();
    });
    try {
      const asked = await readLoaded(request, ask.turn);
      if (asked.kind === 'approval') ask.itemId = asked.itemId;
      const decision = await decisions.decide(asked, ask);
      if (ask.isOver() || signal?.aborted) return;
      if (!decision) return ask.done();
      if (decision.askId !== undefined && (asked.kind === 'approval' || asked.kind === 'question')) {
        ask.sent = { ...decision, askId: decision.askId, turn: ask.turn, asked };
        deliveries.sent(ask.sent);
      }
      peer.respond(id, decision.result);
    } catch (error) {
      if (ask.isOver() || signal?.aborted) return;
      ask.done();
      await reportNotAsked(id, error);
    } finally {
      isRaised();
      await ask.recorded();
    }
  }

  async function reportNotAsked(id: RequestId, error: unknown): Promise<void> {
    const why = error instanceof Error ? error.message : String(error);
    if (!isShared) peer.refuse(id, INTERNAL_ERROR, `The person could not be asked: ${why}`);
    const what = isShared ? 'can only be answered at its own prompt' : 'was refused';
    const text = `A request of Codex could not be asked, and ${what}: ${why}`;
    await context.output(text, { type: 'status' }).catch(() => {});
  }

  /** An ask whose answer the model was not sent stays unanswered, for the next process of the run. */
  async function askAsync(asked: QuestionAsk, turn: TurnRef): Promise<void> {
    const ask = asyncQuestions.open(asked, { turn }, onRaised);
    const response = await decisions.question(asked, ask);
    if (response?.message !== undefined) await messages.send(response.message, turn, response.askId);
    ask.done();
  }

  return {
    async receive(request: Incoming): Promise<void> {
      // Codex repeats its open requests whenever a client resumes the thread.
      if (pending.get(request.id)) return;
      const asked = read(request);
      if (asked.kind === 'approval' && asked.itemId) deliveries.itemAsksAgain(asked.itemId);
      if (asked.kind !== 'response' && asked.kind !== 'unsupported') return handling.add(handle(request));
      if (isShared) return;
      if (asked.kind === 'response') return peer.respond(request.id, asked.result);
      peer.refuse(request.id, METHOD_NOT_FOUND, asked.reason);
      await context.output(asked.reason, { type: 'status' }).catch(() => {});
    },
    /** Resolves when every request received so far is stored as an ask, or known not to become one. */
    raised: raising.settled,
    /** Some items ask questions; others show whether an answer counted. */
    itemCompleted({ threadId, turnId, item }: ItemNotice): void {
      deliveries.itemCompleted(item);
      if (isShared) {
        for (const ask of pending.all()) if (item.id && ask.itemId === item.id) withdrawUnsent(ask);
        return;
      }
      // Where others answer too, questions that do not block the turn are theirs.
      const asked = asyncQuestion(item, turnId);
      if (asked) answering.add(askAsync(asked, { threadId, turnId }));
    },
    /** `serverRequest/resolved`: Codex has an answer, from here or elsewhere. */
    resolved(id: RequestId): void {
      const ask = pending.get(id);
      if (!ask) return;
      if (ask.sent) deliveries.resolved(ask.sent);
      settledByCodex(ask);
    },
    /** Withdraws what the turn still asked. Resolves when no request is being handled. */
    async turnCompleted(turnId: string): Promise<void> {
      deliveries.turnCompleted(turnId);
      for (const ask of pending.all()) if (ask.turn?.turnId === turnId) settledByCodex(ask);
      await handling.settled();
      await deliveries.recorded();
    },
    deliveriesRecorded: deliveries.recorded,
    /** Messages to the model that no turn has taken, once all asynchronous questions are answered. */
    async unsentMessages(): Promise<UnsentMessages | undefined> {
      await answering.settled();
      return messages.unsent();
    },
    /** The connection is gone: nothing can be answered through it. */
    close(): void {
      pending.close();
      asyncQuestions.close();
      deliveries.close();
    },
    /** Whether an ask has no answer yet, or Codex has not confirmed that it has it. */
    hasUnanswered: () => pending.hasUnanswered() || asyncQuestions.hasUnanswered() || messages.hasUnsentAnswer(),
  };
}
