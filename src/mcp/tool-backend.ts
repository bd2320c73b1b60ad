// What the MCP tools need of Holdpoint, for one session. The HTTP endpoint has the gateway itself; the tool server on
// standard input and output has a client of the API. A refusal is thrown with its `code`.
import type { QuestionAnswer } from '../core/answer.ts';
import type { Clarify, RaiseAsk } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import { keyScope } from '../core/idempotency.ts';
import { EXTERNAL_AGENT } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { AskView, ClarificationView } from '../core/views.ts';
import type { Gateway } from '../gateway/gateway.ts';

export interface ToolSession {
  /** A worker hosts the agent: it has no screen of its own, and the worker acknowledges what it was sent. */
  isHosted: boolean;
  hasParent: boolean;
}

export interface ToolBackend {
  now(): number;
  session(): Promise<ToolSession>;
  /** The run at work in this session: who asks, whatever the arguments say. */
  runId(): Promise<string>;
  /** What the run was asked to do. */
  input(runId: string): Promise<Record<string, unknown>>;
  raise(runId: string, body: RaiseAsk): Promise<AskView>;
  /** The asks of this session that are pending or whose answer is due. */
  unsettled(): Promise<AskView[]>;
  /** All asks of this session. */
  history(): Promise<AskView[]>;
  /** An ask or a clarification of this session, once it has ended, people have commented more often, or the time is over. */
  look(askId: string, waitMs: number, signal?: AbortSignal, commentsRead?: number): Promise<AskView>;
  /** The agent's reply to the first so many comments. Refused once the ask has ended. */
  reply(askId: string, text: string, commentsRead: number): Promise<void>;
  /** The answer is about to be written to the call. Refused where another server was told that the call is cancelled. */
  send(askId: string, digest: string | undefined, callKey: string): Promise<void>;
  /** It did not arrive: it is due as before. */
  giveBack(askId: string): Promise<void>;
  acknowledge(askId: string, callKey?: string): Promise<void>;
  /** Whether another server was told so. */
  isCancelled(callKey: string): Promise<boolean>;
  /** The answer of a clarification is mail. */
  acknowledgeMail(askId: string): Promise<void>;
  /** `answers`: what was said at the agent's own screen. */
  withdraw(askId: string, justification: string, answers?: QuestionAnswer[]): Promise<void>;
  clarify(runId: string, body: Clarify): Promise<ClarificationView>;
}

const NO_RUN = 'No run is at work in this session, so an answer could not be taken. Start one first.';
const PAGE = { limit: 500 };

export function gatewayBackend(gateway: Gateway, actor: Actor & { sessionId: string }): ToolBackend {
  const { sessionId } = actor;
  const asks = async (filter: Parameters<Gateway['listAsks']>[0]): Promise<AskView[]> => {
    const found: AskView[] = [];
    for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const { views, next } = await gateway.listAsks({ ...filter, sessionId }, { ...PAGE, after }, actor);
      found.push(...views);
      after = next;
    }
    return found;
  };
  return {
    now: gateway.now,
    async session() {
      const { agent, parent_session_id } = await gateway.showSession(sessionId);
      return { isHosted: agent !== EXTERNAL_AGENT, hasParent: parent_session_id !== undefined };
    },
    async runId() {
      const session = await gateway.showSession(sessionId);
      if (session.active_run_id !== undefined) return session.active_run_id;
      if (session.agent !== EXTERNAL_AGENT) throw fail('run_state_conflict', NO_RUN);
      // Concurrent calls that see the session in the same state start one run.
      const scope = keyScope('MCP start', [sessionId], String(session.updated_at_ms), gateway.hash);
      const body = { input: {}, source: 'mcp' };
      return (await gateway.startRun({ sessionId, body, actor, key: { scope, fingerprint: '' } })).view.run_id;
    },
    input: (runId) => gateway.showInput(runId, actor),
    raise: async (runId, body) => (await gateway.raiseAsk({ runId, body, actor })).view,
    unsettled: async () => [...(await asks({ status: 'pending' })), ...(await asks({ delivery: 'due' }))],
    history: () => asks({}),
    async look(askId, waitMs, signal, commentsRead) {
      if (!(await gateway.isAskOf(askId, sessionId)))
        throw fail('ask_not_found', `ask_id: this session has asked nothing called "${askId}".`);
      return gateway.showAsk(askId, actor, { ms: waitMs, commentsRead }, signal);
    },
    async reply(askId, text, commentsRead) {
      await gateway.comment({ askId, text, role: 'agent', commentsRead, actor });
    },
    async send(askId, digest, call) {
      await gateway.acknowledge({ askId, state: 'sent', digest, call, actor });
    },
    async giveBack(askId) {
      await gateway.acknowledge({ askId, state: 'returned', actor });
    },
    async acknowledge(askId, call) {
      await gateway.acknowledge({ askId, state: 'delivered', call, actor });
    },
    isCancelled: gateway.isCallCancelled,
    async acknowledgeMail(askId) {
      for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { views, next } = await gateway.listMessages(sessionId, 'open', { ...PAGE, after });
        const mail = views.find(({ payload }) => payload.request_id === askId);
        if (mail) return void (await gateway.acknowledgeMessage(sessionId, mail.message_id));
        after = next;
      }
    },
    async withdraw(askId, justification, answers) {
      await gateway.withdraw({ askId, justification, answers, actor });
    },
    clarify: async (runId, body) => (await gateway.clarify({ runId, body, actor })).view,
  };
}
