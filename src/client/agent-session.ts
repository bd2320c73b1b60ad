// The desk an agent asks at, over HTTP: what the MCP tools need, in the name of the session that the token belongs to.
// And how a program with an operator's token gets such a token: a session of its own, and a token for it alone.
import type { QuestionAnswer } from '../core/answer.ts';
import { EXTERNAL_AGENT } from '../core/session.ts';
import type { AskView } from '../core/views.ts';
import { type Client, createClient } from './client.ts';
import { HoldpointProblem } from './http.ts';

export interface AgentSession {
  client: Client;
  sessionId: string;
  /** Takes leave: a session that was made for this program alone ends with it. */
  leave(): Promise<void>;
}

export interface AgentSessionOptions {
  sessionId?: string | undefined;
  title: string;
  workFolder: string;
}

const RETRY_FOR_MS = 600_000;

/** An agent's token has its session already; for any other one is made, or reused by name. */
export async function openAgentSession(
  client: Client,
  { sessionId, title, workFolder }: AgentSessionOptions,
): Promise<AgentSession> {
  const own = { agent: EXTERNAL_AGENT, title, work_folder: workFolder };
  const made = await client.sessions
    .create(sessionId === undefined ? own : { agent: EXTERNAL_AGENT, session_id: sessionId })
    .catch((error: unknown) => {
      if (error instanceof HoldpointProblem && error.code === 'scope_forbidden') return undefined;
      throw error;
    });
  if (!made) return { client, sessionId: await ownSession(client, sessionId), leave: async () => {} };
  const { session_id } = made;
  const { token, token_id } = await client.tokens.create({ scope: 'agent', session_id, name: `mcp:${title}` });
  return {
    client: createClient({ url: client.http.url, token, surface: 'mcp', retryForMs: RETRY_FOR_MS }),
    sessionId: session_id,
    async leave() {
      if (sessionId === undefined) await endUnlessForm(client, session_id);
      await client.tokens.revoke(token_id);
    },
  };
}

async function ownSession(client: Client, wanted: string | undefined): Promise<string> {
  const [own] = (await client.sessions.list({ limit: 1 })).items;
  if (own && (wanted === undefined || wanted === own.session_id)) return own.session_id;
  throw new Error(own ? `This token belongs to session ${own.session_id}.` : 'This token belongs to no session.');
}

/** A form outlives the program that displayed it; whatever else was asked has nobody to go to. */
async function endUnlessForm(client: Client, sessionId: string): Promise<void> {
  const { items } = await client.asks.list({ session_id: sessionId, status: 'pending' });
  if (!items.some((ask) => ask.mode === 'form')) await client.sessions.end(sessionId, { reason: 'the agent has gone' });
}

export function httpBackend({ client, sessionId }: Pick<AgentSession, 'client' | 'sessionId'>) {
  const asks = async (query: { status?: 'pending'; delivery?: 'due' }): Promise<AskView[]> => {
    const found: AskView[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const { items, next } = await client.asks.list({ ...query, session_id: sessionId, limit: 500, cursor });
      found.push(...items);
      cursor = next;
    }
    return found;
  };
  return {
    now: Date.now,
    async session() {
      const { agent, parent_session_id } = await client.sessions.get(sessionId);
      return { isHosted: agent !== EXTERNAL_AGENT, hasParent: parent_session_id !== undefined };
    },
    async runId(): Promise<string> {
      const session = await client.sessions.get(sessionId);
      if (session.active_run_id !== undefined) return session.active_run_id;
      if (session.agent !== EXTERNAL_AGENT)
        throw new HoldpointProblem(409, {
          code: 'run_state_conflict',
          detail: 'No run is at work in this session, so an answer could not be taken. Start one first.',
        });
      // Concurrent calls that see the session in the same state start one run.
      const idempotencyKey = `mcp-start:${session.updated_at_ms}`;
      return (await client.runs.start(sessionId, { input: {}, source: 'mcp' }, { idempotencyKey })).run_id;
    },
    input: client.runs.input,
    raise: client.asks.raise,
    unsettled: async () => [...(await asks({ status: 'pending' })), ...(await asks({ delivery: 'due' }))],
    history: () => asks({}),
    look: (askId: string, waitMs: number, signal?: AbortSignal): Promise<AskView> =>
      waitMs > 0 ? client.asks.wait(askId, Math.floor(waitMs), signal) : client.asks.get(askId),
    async send(askId: string, digest: string | undefined): Promise<void> {
      await client.asks.sent(askId, { digest });
    },
    async giveBack(askId: string): Promise<void> {
      await client.asks.sent(askId, { returned: true });
    },
    async acknowledge(askId: string): Promise<void> {
      await client.asks.delivered(askId);
    },
    async acknowledgeMail(askId: string): Promise<void> {
      const { items } = await client.mailbox.list(sessionId, { limit: 500 });
      const mail = items.find(({ payload }) => payload.request_id === askId);
      if (mail) await client.mailbox.acknowledge(sessionId, mail.message_id);
    },
    async withdraw(askId: string, justification: string, answers?: QuestionAnswer[]): Promise<void> {
      await client.asks.withdraw(askId, { justification, answers });
    },
    clarify: client.asks.clarify,
  };
}
