// Carries each request of an ACP agent to a person as one ask, and the decision back as its reply. Owns which requests are
// open, and withdraws the ask of one that the agent settled by itself. A reply counts as delivered when the agent reports
// about the same tool call, or when its turn ends.
//   open ─► decided: replied ─► the agent reports about the call, or ends its turn: delivered
//     ├─ the agent withdraws its request, ends the call or the turn, or uses its id again: the ask is withdrawn
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
  /** The session of the agent in which the run works, once it is open. A request of any other is refused. */
  sessionId(): string | undefined;
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
const ID_REUSED = 'it used the id of a request that is not answered, so a reply could be taken for either';
const OTHER_SESSION = 'it is for a session that this run does not work in';
const NEVER = new Promise<never>(() => {});

export function createRequests(parts: RequestParts) {
  const { context, title, signal } = parts;
  const decisions = createDecisions(parts);
  const pending = createPendingAsks<string, OpenRequest>(context);
  const recording = createInFlight();
  let notes: string[] = [];

  /** `cancelled`: the reply without a decision. */
  async function handle<Reply>(
    { params, requestId, signal: withdrawn }: Received<object>,
    toolCallId: string | undefined,
    cancelled: Reply,
    decide: (options: PendingAsk['options']) => Promise<Decision<Reply>>,
  ): Promise<Reply> {
    const key = JSON.stringify(requestId);
    const twin = pending.get(key);
    const isTwice = twin !== undefined && !twin.replied;
    if (twin) settle(twin, ID_REUSED);
    if (isTwice || !isOfSession(params)) {
      await reportRefused(isTwice ? ID_REUSED : OTHER_SESSION);
      return without(cancelled);
    }
    const ask = pending.open(key, { toolCallId });
    const onWithdrawn = () => settle(ask, SETTLED);
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

  /** An elicitation may belong to a request instead of a session. */
  const isOfSession = ({ sessionId }: { sessionId?: unknown }): boolean =>
    sessionId === undefined || sessionId === parts.sessionId();

  async function reportNotAsked(ask: PendingAsk, error: unknown): Promise<void> {
    ask.done();
    notes.push(await reportRefused(error instanceof HoldpointProblem ? error.detail : String(error)));
  }

  async function reportRefused(why: string): Promise<string> {
    const text = `A request of ${title} could not be asked, and was refused: ${why}`;
    await context.output(text, { type: 'status' }).catch(() => {});
    return text;
  }

  /** The agent waits for the request no longer: it has the reply, or needs none. */
  function settle(ask: PendingAsk & OpenRequest, reason: string): void {
    if (ask.isOver()) return;
    const { replied } = ask;
    if (!replied) ask.withdraw(reason);
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
      for (const ask of pending.all())
        if (ask.toolCallId === toolCallId && (isOver || ask.replied)) settle(ask, SETTLED);
    },
    turnEnded(): void {
      for (const ask of pending.all()) settle(ask, SETTLED);
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
