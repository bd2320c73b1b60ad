// What the MCP tools need of Holdpoint, in the name of one session: the backend an agent asks at. In the server it is the
// gateway itself; a tool server on standard input and output has one over HTTP. A refusal is thrown with its `code`.
import type { QuestionAnswer } from '../core/answer.ts';
import type { Clarify, RaiseAsk } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import { keyScope } from '../core/idempotency.ts';
import { EXTERNAL_AGENT } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { AskView, ClarificationView, MessageView } from '../core/views.ts';
import type { Gateway } from '../gateway/gateway.ts';

export interface ToolBackend {
  /** Whether the agent has a screen of its own. One that a worker hosts has none: what it shows a person comes back here. */
  hasOwnPrompt(): Promise<boolean>;
  /** The run at work in this session: who asks, whatever the arguments say. */
  runId(): Promise<string>;
  /** What the run was asked to do. */
  input(runId: string): Promise<Record<string, unknown>>;
  raise(runId: string, body: RaiseAsk): Promise<AskView>;
  pending(runId: string): Promise<AskView[]>;
  /** An ask of this session, once it has ended or the time is over. */
  look(askId: string, waitMs: number, signal?: AbortSignal): Promise<AskView>;
  acknowledge(askId: string, digest?: string): Promise<void>;
  /** `answers`: what was said at the agent's own screen. */
  withdraw(askId: string, justification: string, answers?: QuestionAnswer[]): Promise<void>;
  clarify(runId: string, body: Clarify): Promise<ClarificationView>;
  mail(): Promise<MessageView[]>;
  takeMail(messageId: string): Promise<void>;
}

const NO_RUN = 'No run is at work in this session, so nobody could take the answer. Start one first.';

export function gatewayBackend(gateway: Gateway, actor: Actor & { sessionId: string }): ToolBackend {
  const { sessionId } = actor;
  const own = async (ask: Promise<AskView>): Promise<AskView> => {
    const found = await ask;
    if (found.session_id === sessionId) return found;
    throw fail('ask_not_found', 'There is no such ask in this session.');
  };
  return {
    hasOwnPrompt: async () => (await gateway.showSession(sessionId)).agent === EXTERNAL_AGENT,
    async runId() {
      const session = await gateway.showSession(sessionId);
      if (session.active_run_id !== undefined) return session.active_run_id;
      if (session.agent !== EXTERNAL_AGENT) throw fail('run_state_conflict', NO_RUN);
      // Whoever sees the session as it is now means the same run.
      const scope = keyScope('MCP start', [sessionId], String(session.updated_at_ms), gateway.hash);
      const body = { input: {}, source: 'mcp' };
      return (await gateway.startRun({ sessionId, body, actor, key: { scope, fingerprint: '' } })).view.run_id;
    },
    input: (runId) => gateway.showInput(runId),
    raise: async (runId, body) => (await gateway.raiseAsk({ runId, body, actor })).view,
    pending: async (runId) => (await gateway.listAsks({ runId, status: 'pending' }, { limit: 500 }, actor)).views,
    async look(askId, waitMs, signal) {
      await own(gateway.showAsk(askId, actor));
      return own(gateway.showAsk(askId, actor, waitMs, signal));
    },
    async acknowledge(askId, digest) {
      await gateway.acknowledge({ askId, state: 'delivered', digest });
    },
    async withdraw(askId, justification, answers) {
      await gateway.withdraw({ askId, justification, answers, actor });
    },
    clarify: async (runId, body) => (await gateway.clarify({ runId, body, actor })).view,
    mail: async () => (await gateway.listMessages(sessionId, 'open', { limit: 500 })).views,
    async takeMail(messageId) {
      await gateway.acknowledgeMessage(sessionId, messageId);
    },
  };
}
