// What a hosted agent is given: the public API in the name of one leased run. Every call carries the lease, so that a
// worker which has lost the run changes nothing. Owns no state but what the claim said.
import { type Asking, askQuestion, type Manner } from '../client/asking.ts';
import { askParent } from '../client/clarifying.ts';
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { callTool, type ForwardedCall } from '../client/mcp-call.ts';
import { fetchSkill } from '../client/skill-files.ts';
import {
  type ApproveSpec,
  type AskSpec,
  approvalBody,
  type Deadline,
  type Questions,
  questionBody,
  questionsOf,
} from '../client/spec.ts';
import type { Waits } from '../client/waits.ts';
import { SAID_CHARACTERS, shortened } from '../core/shortened.ts';
import { tellable } from '../core/tellable.ts';
import type { AskView, ClaimedRunView, RunView } from '../core/views.ts';
import { askBoundApproval } from './file-bound-approval.ts';
import { processes } from './process.ts';
import { inherited } from './program-environment.ts';

const FORM_WAIT_MS = 30_000;

interface Named {
  id: string;
}
interface Saying {
  id?: string | undefined;
  type?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

export type RunContext = ReturnType<typeof createContext>;

export function createContext(client: Client, waits: Waits, claimed: ClaimedRunView, signal: AbortSignal) {
  const { run, session, input, resumed, due, lease } = claimed;
  const runId = run.run_id;
  const sessionId = session.session_id;
  const calls = client.underLease(lease.epoch);
  const asking: Asking = { calls, waits, runId, workFolder: session.work_folder, signal };
  const said = new Set(run.outputs.map((o) => o.output_id));

  return {
    input,
    session,
    run,
    resumed,
    due,
    signal,
    /** What a program that this worker starts may see of its environment. */
    env: { ...inherited(), ...claimed.env, HOLDPOINT_URL: client.http.url },
    processes,

    async say(text: string | undefined, { id, type, data }: Saying = {}): Promise<void> {
      signal.throwIfAborted();
      if (id !== undefined && said.has(id)) return;
      const told = text === undefined ? undefined : shortened(tellable(text), SAID_CHARACTERS);
      await calls.runs.output(runId, { output_id: id, type, text: told, data }, { signal });
      if (id !== undefined) said.add(id);
    },
    ask: (spec: AskSpec & Named, manner?: Manner) =>
      askQuestion(asking, questionBody(tellableBeside(spec), spec.id), manner),
    approve: (spec: ApproveSpec & Named, manner?: Manner) =>
      askBoundApproval(asking, approvalBody(tellableBeside(spec), spec.id), manner),
    askParent: (spec: Questions & Deadline & Named) => {
      const { id, expires_after_ms, expires_at_ms } = spec;
      const body = { tool_call_id: id, questions: questionsOf(spec), expires_after_ms, expires_at_ms };
      return askParent({ calls, waits, runId, sessionId, signal }, body);
    },
    async acknowledge(askId: string): Promise<void> {
      await calls.asks.delivered(askId, {}, { signal });
    },
    async giveUp(askId: string, reason: string): Promise<void> {
      await calls.asks.undeliverable(askId, { reason }, { signal });
    },
    async withdraw(askId: string, justification?: string): Promise<void> {
      await calls.asks.withdraw(askId, { justification }, { signal });
    },
    callTool: (call: ForwardedCall) => callTool(client.http, claimed.env.HOLDPOINT_TOKEN ?? '', call, signal),
    skill: (name: string) => fetchSkill(calls, name),
    mailbox: {
      list: async () => (await calls.mailbox.list(sessionId)).items,
      async acknowledge(messageId: string): Promise<void> {
        await calls.mailbox.acknowledge(sessionId, messageId);
      },
    },
    async spawn({
      id,
      agent,
      input,
      title,
    }: Named & { agent: string; input: Record<string, unknown>; title?: string | undefined }) {
      signal.throwIfAborted();
      const { work_folder, project_ids, channel_ids, labels } = session;
      const inherited = { work_folder, project_ids, channel_ids, labels, parent_session_id: sessionId };
      const child = await calls.sessions.create({ session_id: id, agent, title, ...inherited });
      const started = await calls.runs.start(
        child.session_id,
        { input, source: 'agent' },
        { idempotencyKey: `spawn:${id}` },
      );
      return { session_id: child.session_id, run_id: started.run_id };
    },
    async report(input: Record<string, unknown>): Promise<void> {
      signal.throwIfAborted();
      const parent = session.parent_session_id;
      if (parent === undefined) throw new Error('This session has no parent to report to.');
      const say = () =>
        calls.runs.start(parent, { input, source: 'agent' }, { idempotencyKey: `report:${runId}`, signal });
      await afterForms(client, parent, say, signal);
    },
    recall: async (type: string) => dataOf(run, type) ?? (await lastOutput(client, sessionId, type)),
    earlier: () => earlierRuns(client, run),
    runsBefore: (laterId: string) => runsBefore(client, sessionId, laterId),
    inputOf: (earlierId: string) => client.runs.input(earlierId),
    history: () => everyAsk(client, { session_id: sessionId }),
  };
}

/** The words beside what is asked. */
const tellableBeside = <T extends { reason?: string | undefined; lineage?: string[] | undefined }>(spec: T): T => ({
  ...spec,
  ...(spec.reason !== undefined && { reason: tellable(spec.reason) }),
  ...(spec.lineage !== undefined && { lineage: spec.lineage.map((name) => tellable(name)) }),
});

async function earlierRuns(client: Client, run: RunView): Promise<{ run: RunView; asks: AskView[] }[]> {
  const found: { run: RunView; asks: AskView[] }[] = [];
  for (let id = run.resumes_run_id; id !== undefined; id = found.at(-1)?.run.resumes_run_id)
    found.push({ run: await client.runs.get(id), asks: await everyAsk(client, { run_id: id }) });
  return found;
}

async function everyAsk(client: Client, filter: { session_id?: string; run_id?: string }): Promise<AskView[]> {
  const asks: AskView[] = [];
  for await (const ask of every((page) => client.asks.list({ ...filter, ...page, limit: 500 }))) asks.push(ask);
  return asks;
}

const dataOf = ({ outputs }: RunView, type: string) => outputs.findLast((output) => output.type === type)?.data;

async function runsBefore(client: Client, session_id: string, laterId: string): Promise<RunView[]> {
  const before: RunView[] = [];
  for await (const run of every((page) => client.runs.list({ session_id, ...page, limit: 500 }))) {
    if (run.run_id === laterId) break;
    before.push(run);
  }
  return before;
}

async function lastOutput(client: Client, session_id: string, type: string) {
  let found: Record<string, unknown> | undefined;
  for await (const run of every((page) => client.runs.list({ session_id, ...page, limit: 500 })))
    found = dataOf(run, type) ?? found;
  return found;
}

/** A session that waits for a form takes nothing else: what an agent has to say waits for its end. */
async function afterForms(client: Client, sessionId: string, say: () => Promise<unknown>, signal: AbortSignal) {
  for (;;) {
    try {
      await say();
      return;
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.code !== 'pending_interactive_form') throw error;
    }
    const { items } = await client.asks.list({ session_id: sessionId, status: 'pending' });
    const form = items.find((ask) => ask.mode === 'form');
    if (form) await client.asks.wait(form.ask_id, FORM_WAIT_MS, signal);
  }
}
