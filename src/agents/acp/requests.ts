// Carries each request of an ACP agent to a person as one ask, and the decision back as its reply. Owns which requests are
// open, and withdraws the ask of one that the agent settled by itself. A reply counts as delivered when the agent reports
// about the same tool call, or when its turn ends.
//   open ─► decided: replied ─► the agent reports about the call, or ends its turn: delivered
//     ├─ the agent withdraws its request, or ends the call or the turn: the ask is withdrawn
//     └─ the run is cancelled: `cancelled` is replied
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { HoldpointProblem } from '../../client/http.ts';
import { type AgentContext, isLeaving } from '../agent.ts';
import { createInFlight } from '../kit/in-flight.ts';
import { createPendingAsks, type PendingAsk } from '../kit/pending-asks.ts';
import { CANCELLED, type PermissionReply } from './asks.ts';
import { createDecisions, type Decision, type DecisionParts } from './decisions.ts';
import { toolCallIdOf } from './elicitations.ts';

interface OpenRequest {
  readonly toolCallId: string | undefined;
  /** The ask whose answer was replied. */
  replied?: { askId: string | undefined };
}

export interface RequestParts extends DecisionParts {
  context: DecisionParts['context'] & Pick<AgentContext, 'withdraw'>;
  /** Aborted when the run is over, or belongs to this worker no longer: no reply may let the agent continue. */
  signal: AbortSignal;
}

/** A request as the SDK hands it over: `signal` is aborted when the agent withdraws it. */
interface Received<Params> {
  params: Params;
  requestId: string | number | null;
  signal: AbortSignal;
}

const SETTLED = 'settled by the agent itself';
const NEVER = new Promise<never>(() => {});

export function createRequests(parts: RequestParts) {
  const { context, title, signal } = parts;
  const decisions = createDecisions(parts);
  const pending = createPendingAsks<string, OpenRequest>(context);
  const recording = createInFlight();
  let notes: string[] = [];

  /** `cancelled`: the reply without a decision. */
  async function handle<Reply>(
    { requestId, signal: withdrawn }: Received<unknown>,
    toolCallId: string | undefined,
    cancelled: Reply,
    decide: (options: PendingAsk['options']) => Promise<Decision<Reply>>,
  ): Promise<Reply> {
    const ask = pending.open(String(requestId), { toolCallId });
    const onWithdrawn = () => settle(ask);
    withdrawn.addEventListener('abort', onWithdrawn);
    try {
      const { reply, askId, note } = await decide(ask.options);
      if (ask.isOver() || signal.aborted) return without(cancelled);
      if (note) notes.push(note);
      ask.replied = { askId };
      if (askId === undefined) ask.done();
      return reply;
    } catch (error) {
      if (!ask.isOver() && !signal.aborted) await reportNotAsked(ask, error);
      return without(cancelled);
    } finally {
      withdrawn.removeEventListener('abort', onWithdrawn);
      await ask.recorded();
    }
  }

  /** A worker that shuts down must leave the agent's own record as it is: the request stays open in it. */
  const without = <Reply>(cancelled: Reply): Reply | Promise<never> => (isLeaving(signal) ? NEVER : cancelled);

  async function reportNotAsked(ask: PendingAsk, error: unknown): Promise<void> {
    ask.done();
    const why = error instanceof HoldpointProblem ? error.detail : String(error);
    const text = `A request of ${title} could not be asked, and was refused: ${why}`;
    notes.push(text);
    await context.output(text, { type: 'status' }).catch(() => {});
  }

  /** The agent waits for the request no longer: it has the reply, or needs none. */
  function settle(ask: PendingAsk & OpenRequest): void {
    if (ask.isOver()) return;
    const { replied } = ask;
    if (!replied) ask.withdraw(SETTLED);
    ask.done();
    if (replied?.askId !== undefined) recording.add(context.acknowledge(replied.askId));
  }

  return {
    permission: (received: Received<RequestPermissionRequest>): Promise<PermissionReply> =>
      handle(received, received.params.toolCall.toolCallId, CANCELLED, (options) =>
        decisions.permission(received.params, options),
      ),
    elicitation: (received: Received<CreateElicitationRequest>): Promise<CreateElicitationResponse> =>
      handle<CreateElicitationResponse>(received, toolCallIdOf(received.params), { action: 'cancel' }, (options) =>
        decisions.elicitation(received.params, String(received.requestId), options),
      ),
    /** The agent reports about a tool call. `isOver`: it waits for nothing in it any more. */
    reported(toolCallId: string, isOver: boolean): void {
      for (const ask of pending.all()) if (ask.toolCallId === toolCallId && (isOver || ask.replied)) settle(ask);
    },
    turnEnded(): void {
      for (const ask of pending.all()) settle(ask);
    },
    /** What the replies could not say, for the next prompt. */
    takeNotes(): string[] {
      const taken = notes;
      notes = [];
      return taken;
    },
    /** Resolves when the server has recorded which answers reached the agent. */
    recorded: recording.settled,
    /** The process is gone: nothing can be answered through it. */
    close: () => pending.close(),
    hasUnanswered: () => pending.hasUnanswered(),
  };
}
