// The session that an MCP tool server asks in, over HTTP: found, reused or made, and left. And what the tools need of it.
import type { QuestionAnswer } from '../core/answer.ts';
import type { RaiseAsk } from '../core/bodies.ts';
import { EXTERNAL_AGENT } from '../core/session.ts';
import type { AskView, SessionView } from '../core/views.ts';
import { type Client, createClient, listAll } from './client.ts';
import { HoldpointProblem } from './http.ts';
import { projectRulesIn } from './project-rules.ts';

export interface AgentSession {
  client: Client;
  sessionId: string;
  /** Where the program runs. */
  workFolder: string;
  /** The asks whose answers this program was given to write. */
  sent: Set<string>;
  /** Ends what this program started, unless something is open in it; true if nothing is. `at`: when its agent left. */
  leave(at: number): Promise<boolean>;
}

export interface AgentSessionOptions {
  /** The session that the caller names. */
  sessionId?: string | undefined;
  /** The session that an earlier program left open. */
  earlierId?: string | undefined;
  title: string;
  workFolder: string;
}

const RETRY_FOR_MS = 600_000;
/** An answer that was written to a pipe so long before its reader closed it was read. */
const READ_AFTER_MS = 15_000;

/** An agent's token has its session already; for any other one is made, or reused. */
export async function openAgentSession(client: Client, options: AgentSessionOptions): Promise<AgentSession> {
  const sent = new Set<string>();
  const { workFolder } = options;
  if ((await client.signIn.me()).scope === 'agent') {
    const sessionId = await ownSession(client, options.sessionId);
    return { client, sessionId, workFolder, sent, leave: (at) => leaveRun({ client, sessionId, sent }, at) };
  }
  const { title } = options;
  const { session_id } = await sessionFor(client, options);
  const { token, token_id } = await client.tokens.create({ scope: 'agent', session_id, name: `mcp:${title}` });
  return {
    client: createClient({ url: client.http.url, token, surface: 'mcp', retryForMs: RETRY_FOR_MS }),
    sessionId: session_id,
    workFolder,
    sent,
    async leave(at) {
      const isOver = await leaveRun({ client, sessionId: session_id, sent }, at);
      if (isOver && options.sessionId === undefined)
        await client.sessions.end(session_id, { reason: 'the agent has gone' });
      await client.tokens.revoke(token_id);
      return isOver;
    },
  };
}

async function sessionFor(client: Client, { sessionId, earlierId, title, workFolder }: AgentSessionOptions) {
  const own = { agent: EXTERNAL_AGENT, title, work_folder: workFolder };
  const known = await knownSession(client, sessionId ?? earlierId);
  if (known && (sessionId !== undefined || known.status !== 'ended')) return known;
  return client.sessions.create(sessionId === undefined ? own : { ...own, session_id: sessionId });
}

async function knownSession(client: Client, id: string | undefined): Promise<SessionView | undefined> {
  if (id === undefined) return undefined;
  return client.sessions.get(id).catch((error: unknown) => {
    if (error instanceof HoldpointProblem && error.status === 404) return undefined;
    throw error;
  });
}

async function ownSession(client: Client, wanted: string | undefined): Promise<string> {
  const [own] = (await client.sessions.list({ limit: 1 })).items;
  if (own && (wanted === undefined || wanted === own.session_id)) return own.session_id;
  throw new Error(own ? `This token belongs to session ${own.session_id}.` : 'This token belongs to no session.');
}

/** Whatever is pending or due keeps the run, for the program that comes next. */
async function leaveRun(session: Omit<AgentSession, 'leave' | 'workFolder'>, at: number): Promise<boolean> {
  const { client, sessionId: session_id, sent } = session;
  const due = await listAll((page) => client.asks.list({ session_id, delivery: 'due', ...page }));
  let open = (await client.asks.list({ session_id, status: 'pending', limit: 1 })).items.length;
  for (const { ask_id, delivery } of due) {
    const isOld = delivery.sent_at_ms !== undefined && delivery.sent_at_ms + READ_AFTER_MS <= at;
    if (isOld && sent.has(ask_id)) await client.asks.delivered(ask_id);
    else open += 1;
  }
  if (open > 0) return false;
  const { active_run_id } = await client.sessions.get(session_id);
  const run = active_run_id === undefined ? undefined : await client.runs.get(active_run_id);
  if (run?.request.source === 'mcp') await client.runs.complete(run.run_id);
  return true;
}

export function httpBackend({ client, sessionId, sent, workFolder }: Omit<AgentSession, 'leave'>) {
  const asks = (query: { status?: 'pending'; delivery?: 'due' }): Promise<AskView[]> =>
    listAll((page) => client.asks.list({ ...query, session_id: sessionId, ...page }));
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
    /** With the rules of the project in whose folder this program runs. */
    async raise(runId: string, body: RaiseAsk): Promise<AskView> {
      const project_rules = body.kind === 'approval' ? await projectRulesIn(workFolder) : undefined;
      return client.asks.raise(runId, { ...body, ...(project_rules && { project_rules }) } as RaiseAsk);
    },
    unsettled: async () => [...(await asks({ status: 'pending' })), ...(await asks({ delivery: 'due' }))],
    history: () => asks({}),
    look: (askId: string, waitMs: number, signal?: AbortSignal, commentsRead?: number): Promise<AskView> =>
      waitMs > 0 ? client.asks.wait(askId, Math.floor(waitMs), signal, commentsRead) : client.asks.get(askId),
    async reply(askId: string, text: string, commentsRead: number): Promise<void> {
      await client.asks.comment(askId, text, { role: 'agent', commentsRead });
    },
    async send(askId: string, digest: string | undefined): Promise<void> {
      await client.asks.sent(askId, { digest });
      sent.add(askId);
    },
    async giveBack(askId: string): Promise<void> {
      await client.asks.sent(askId, { returned: true });
    },
    async acknowledge(askId: string): Promise<void> {
      await client.asks.delivered(askId);
    },
    isCancelled: async () => false,
    async acknowledgeMail(askId: string): Promise<void> {
      const messages = await listAll((page) => client.mailbox.list(sessionId, page));
      const mail = messages.find(({ payload }) => payload.request_id === askId);
      if (mail) await client.mailbox.acknowledge(sessionId, mail.message_id);
    },
    async withdraw(askId: string, justification: string, answers?: QuestionAnswer[]): Promise<void> {
      await client.asks.withdraw(askId, { justification, answers });
    },
    clarify: client.asks.clarify,
  };
}
