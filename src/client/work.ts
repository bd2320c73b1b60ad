// Runs work that this program does itself: it reports output, asks, and ends. The run belongs to an external session,
// so no worker claims it. The same run is found again after a crash, which makes a repeated ask safe.
import { EXTERNAL_AGENT } from '../core/session.ts';
import type { AskView, SessionView } from '../core/views.ts';
import { type Asking, askApproval, askQuestion, withProjectRules } from './asking.ts';
import { type Client, createClient } from './client.ts';
import type { CommentHandler } from './comment-reader.ts';
import type { ApprovalOutcome, AskOutcome } from './outcome.ts';
import { type ApproveSpec, type AskSpec, approvalBody, questionBody } from './spec.ts';
import type { Waits } from './waits.ts';

export interface StartSpec {
  /** A session of your own name: the same name again is the same session and its run goes on. */
  session_id?: string | undefined;
  title?: string | undefined;
  /** What the work is about; shown beside its asks. */
  text?: string | undefined;
  work_folder?: string | undefined;
  project_ids?: string[] | undefined;
  channel_ids?: string[] | undefined;
  parent_session_id?: string | undefined;
}

/** Always in this process; over a union, member by member. */
export type Blocking<S> = S extends unknown ? Omit<S, 'mode'> & WhileWaiting : never;

interface WhileWaiting {
  signal?: AbortSignal | undefined;
  /** Takes what people comment before they decide, and returns the reply. Without it they see that the agent is not told. */
  onComment?: CommentHandler | undefined;
}

/** The same, for an ask that this process does not wait for. */
export type Unblocking<S> = S extends unknown ? Omit<S, 'mode'> : never;

/** The ask as it was stored, or found under its `id`. */
export type Raised = Pick<AskView, 'ask_id' | 'session_id' | 'run_id' | 'status'>;

export interface Work {
  readonly session_id: string;
  readonly run_id: string;
  /** Resolves when the question has ended, however long that takes. The same `id` again is the same ask. */
  ask(spec: Blocking<AskSpec>): Promise<AskOutcome>;
  /** `allowed` only if a person or a setting said so: no silence, failure or deadline ever makes it true. */
  approve(spec: Blocking<ApproveSpec>): Promise<ApprovalOutcome>;
  /** Stores the ask and does not wait for it; see `outcomeOf`. The same `id` again is the same ask. */
  raise(spec: Unblocking<AskSpec> | Unblocking<ApproveSpec>): Promise<Raised>;
  say(text: string): Promise<void>;
  complete(text?: string): Promise<void>;
  fail(error: string): Promise<void>;
}

const SECRET_TOKEN_MS = 60_000;

/** With `once` the session has one run for ever: opened again it has that run, ended or not. */
export async function openWork(client: Client, waits: Waits, spec: StartSpec, once = false): Promise<Work> {
  const { text, ...wanted } = spec;
  const session = await client.sessions.create({ agent: 'external', ...wanted });
  return workIn(client, waits, session, text ?? '', once);
}

/** A token that is bound to a session may not make others: it works in its own. */
export async function openOwnWork(client: Client, waits: Waits, text: string): Promise<Work> {
  const [own] = (await client.sessions.list({ limit: 1 })).items;
  if (!own) throw new Error('This token belongs to no session.');
  return workIn(client, waits, own, text, false);
}

async function workIn(client: Client, waits: Waits, session: SessionView, text: string, once: boolean): Promise<Work> {
  // The worker that hosts a run reports its end when this program has exited.
  const isHosted = session.agent !== EXTERNAL_AGENT;
  const runId = session.active_run_id ?? (await runOf(client, session.session_id, text, once));
  const asking = (signal: AbortSignal | undefined): Asking => ({
    calls: client,
    waits,
    runId,
    workFolder: session.work_folder,
    signal,
    reveal: (ask) => readSecret(client, ask),
  });
  return {
    session_id: session.session_id,
    run_id: runId,
    async ask({ signal, onComment, ...spec }) {
      const outcome = await askQuestion(asking(signal), questionBody(spec, spec.id ?? newCallId()), { onComment });
      return outcome as AskOutcome;
    },
    async approve({ signal, onComment, ...spec }) {
      const outcome = await askApproval(asking(signal), approvalBody(spec, spec.id ?? newCallId()), { onComment });
      return outcome as ApprovalOutcome;
    },
    async raise(spec) {
      const id = spec.id ?? newCallId();
      const body =
        'tool_name' in spec
          ? await withProjectRules(approvalBody(spec, id), session.work_folder)
          : questionBody(spec, id);
      const { ask_id, session_id, run_id, status } = await client.asks.raise(runId, body);
      return { ask_id, session_id, run_id, status };
    },
    async say(text) {
      await client.runs.output(runId, { text });
    },
    async complete(text) {
      if (!isHosted) await client.runs.complete(runId, text === undefined ? {} : { text });
      else if (text !== undefined) await client.runs.output(runId, { text });
    },
    async fail(error) {
      await (isHosted ? client.runs.output(runId, { text: error }) : client.runs.fail(runId, { error }));
    },
  };
}

const newCallId = (): string => `call_${crypto.randomUUID()}`;

/** The key makes one run of two programs that begin at the same moment. */
async function runOf(client: Client, sessionId: string, text: string, once: boolean): Promise<string> {
  const [first] = once ? (await client.runs.list({ session_id: sessionId, limit: 1 })).items : [];
  if (first) return first.run_id;
  const options = once ? { idempotencyKey: `once:${sessionId}` } : {};
  return (await client.runs.start(sessionId, { input: { text } }, options)).run_id;
}

/** Operators may not read secret answers; the program that asked may, with a token of its session for this one look. */
export async function readSecret(client: Client, ask: AskView): Promise<AskView> {
  const own = await client.asks.get(ask.ask_id);
  if (own.answer?.answers?.some((a) => a.freeform_answer !== undefined && a.secret)) return own;
  const body = { scope: 'agent' as const, session_id: ask.session_id, expires_after_ms: SECRET_TOKEN_MS };
  const made = await client.tokens.create(body).catch(() => undefined);
  if (!made) return own;
  try {
    return await createClient({ url: client.http.url, token: made.token }).asks.get(ask.ask_id);
  } finally {
    await client.tokens.revoke(made.token_id).catch(() => {});
  }
}
