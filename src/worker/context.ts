// Builds the context of a hosted run: the public API in the name of one leased run. Every call carries the lease epoch, so
// a worker that has lost the lease changes nothing. Keeps no state but the claim's response.

import type { AgentContext, EarlierRun } from '../agents/agent.ts';
import { type Asking, askQuestion } from '../client/asking.ts';
import { askParent } from '../client/clarifying.ts';
import { type Client, every, listAll } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import { callTool } from '../client/mcp-call.ts';
import { projectRulesIn } from '../client/project-rules.ts';
import { fetchSkill } from '../client/skill-files.ts';
import { approvalBody, questionBody, questionsOf } from '../client/spec.ts';
import type { Waits } from '../client/waits.ts';
import { sourcedProject } from '../core/rule.ts';
import { SAID_CHARACTERS, shorten, storable } from '../core/text-limit.ts';
import { toolRules } from '../core/tool-rules.ts';
import type { AskView, ClaimedRunView, RunView } from '../core/views.ts';
import { askBoundApproval } from './file-bound-approval.ts';
import { processes } from './process.ts';
import { inherited } from './program-environment.ts';

const FORM_WAIT_MS = 30_000;

interface ContextHost extends Pick<AgentContext, 'runtimes' | 'startLimitMs'> {
  client: Client;
  waits: Waits;
}

export function createContext(
  { client, waits, runtimes, startLimitMs }: ContextHost,
  claimed: ClaimedRunView,
  signal: AbortSignal,
): AgentContext {
  const { run, session, input, resumed, due, lease } = claimed;
  const runId = run.run_id;
  const sessionId = session.session_id;
  const calls = client.underLease(lease.epoch);
  const asking: Asking = { calls, waits, runId, workFolder: session.work_folder, signal };
  const stored = new Set(run.outputs.map((o) => o.output_id));

  return {
    input,
    session,
    run,
    resumed,
    due,
    signal,
    // The scripts that publish skills find the server by the second name.
    env: { ...inherited(), ...claimed.env, HOLDPOINT_URL: client.http.url, TASK_API_DOMAIN: client.http.url },
    processes,
    startLimitMs,
    runtimes,
    async toolRules() {
      const project = await projectRulesIn(session.work_folder);
      return [...(project ? toolRules(sourcedProject(project)) : []), ...(claimed.tool_rules ?? [])];
    },

    async output(text, { id, type, data } = {}) {
      signal.throwIfAborted();
      if (id !== undefined && stored.has(id)) return;
      const limited = text === undefined ? undefined : shorten(storable(text), SAID_CHARACTERS);
      await calls.runs.output(runId, { output_id: id, type, text: limited, data }, { signal });
      if (id !== undefined) stored.add(id);
    },
    ask: (spec, options) => askQuestion(asking, questionBody(withCleanText(spec), spec.id), options),
    approve: (spec, options) => askBoundApproval(asking, approvalBody(withCleanText(spec), spec.id), options),
    askParent: (spec) => {
      const { id, expires_after_ms, expires_at_ms } = spec;
      const body = { tool_call_id: id, questions: questionsOf(spec), expires_after_ms, expires_at_ms };
      return askParent({ calls, waits, runId, sessionId, signal }, body);
    },
    async acknowledge(askId) {
      await calls.asks.delivered(askId, {}, { signal });
    },
    async markUndeliverable(askId, reason) {
      await calls.asks.undeliverable(askId, { reason }, { signal });
    },
    async withdraw(askId, justification) {
      await calls.asks.withdraw(askId, { justification }, { signal });
    },
    callTool: (call) => callTool(client.http, claimed.env.HOLDPOINT_TOKEN ?? '', call, signal),
    skill: (name) => fetchSkill(calls, name),
    mailbox: {
      list: () => listAll((page) => calls.mailbox.list(sessionId, page)),
      async acknowledge(messageId) {
        await calls.mailbox.acknowledge(sessionId, messageId);
      },
    },
    async spawn({ id, agent, input, title }) {
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
    async report(input) {
      signal.throwIfAborted();
      const parent = session.parent_session_id;
      if (parent === undefined) throw new Error('This session has no parent to report to.');
      const start = () =>
        calls.runs.start(parent, { input, source: 'agent' }, { idempotencyKey: `report:${runId}`, signal });
      await afterForms(client, parent, start, signal);
    },
    recall: async (type) => dataOf(run, type) ?? (await lastOutput(client, sessionId, type)),
    earlier: () => earlierRuns(client, run),
    runsBefore: (laterId) => runsBefore(client, sessionId, laterId),
    inputOf: (earlierId) => client.runs.input(earlierId),
    history: () => everyAsk(client, { session_id: sessionId }),
  };
}

/** Cleans the descriptive fields; what would run is never touched. */
const withCleanText = <T extends { reason?: string | undefined; lineage?: string[] | undefined }>(spec: T): T => ({
  ...spec,
  ...(spec.reason !== undefined && { reason: storable(spec.reason) }),
  ...(spec.lineage !== undefined && { lineage: spec.lineage.map((name) => storable(name)) }),
});

async function earlierRuns(client: Client, run: RunView): Promise<EarlierRun[]> {
  const found: EarlierRun[] = [];
  for (let id = run.resumes_run_id; id !== undefined; id = found.at(-1)?.run.resumes_run_id)
    found.push({ run: await client.runs.get(id), asks: await everyAsk(client, { run_id: id }) });
  return found;
}

const everyAsk = (client: Client, filter: { session_id?: string; run_id?: string }): Promise<AskView[]> =>
  listAll((page) => client.asks.list({ ...filter, ...page }));

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

/** A session that waits for a form refuses other input, so the report waits until the form has ended. */
async function afterForms(client: Client, sessionId: string, start: () => Promise<unknown>, signal: AbortSignal) {
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.code !== 'pending_interactive_form') throw error;
    }
    const asks = await listAll((page) => client.asks.list({ session_id: sessionId, status: 'pending', ...page }));
    const form = asks.find((ask) => ask.mode === 'form');
    if (form) await client.asks.wait(form.ask_id, FORM_WAIT_MS, signal);
  }
}
