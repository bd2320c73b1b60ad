// A bed for the mock agent: a client with which a test is the person, workers in this process, and ways to wait for
// what happens on the server. Knows a server's address and token only, so the server may be in this process or not.

import { mock } from '../../src/agents/mock/agent.ts';
import type { Step } from '../../src/agents/mock/input.ts';
import { type Client, createClient, every } from '../../src/client/client.ts';
import { HoldpointProblem } from '../../src/client/http.ts';
import type { Permissions } from '../../src/core/session.ts';
import type { AskView, EventView, RunView } from '../../src/core/views.ts';
import type { HostedAgent } from '../../src/worker/host.ts';
import { startWorker, type Worker } from '../../src/worker/worker.ts';

const silent = { info: () => {}, warn: () => {} };
const LOOK_EVERY_MS = 25;
/** Longer than any machine is slow: it ends only where a test has it end. */
export const LONG_LEASE_MS = 600_000;
const SHORTEST_LEASE_MS = 1000;
let made = 0;

export interface WorkerLike {
  id?: string;
  token?: string;
  agents?: HostedAgent[];
  leaseMs?: number;
  concurrency?: number;
  labels?: string[];
  permissions?: Permissions;
  drainMs?: number;
  startLimitMs?: number;
}

export class TestBed {
  readonly url: string;
  readonly api: Client;
  readonly #workers: Worker[] = [];

  constructor(url: string, token: string) {
    this.url = url;
    this.api = createClient({ url, token });
  }

  /** A worker in this process, with a token of its own. */
  async worker(options: WorkerLike = {}): Promise<Worker> {
    const token = options.token ?? (await this.api.tokens.create({ scope: 'worker', labels: options.labels })).token;
    made += 1;
    const worker = startWorker({
      url: this.url,
      token,
      workerId: options.id ?? `test-bed-${made}`,
      agents: options.agents ?? [mock],
      leaseMs: options.leaseMs,
      labels: options.labels,
      permissions: options.permissions,
      concurrency: options.concurrency,
      drainMs: options.drainMs,
      startLimitMs: options.startLimitMs,
      log: silent,
    });
    this.#workers.push(worker);
    return worker;
  }

  async play(
    script: Step[],
    session: { agent?: string; parent_session_id?: string; labels?: string[]; permissions?: Permissions } = {},
  ): Promise<RunView> {
    const { session_id } = await this.api.sessions.create({ agent: 'mock', ...session });
    return this.api.runs.start(session_id, { input: { text: 'play', script } });
  }

  /** The pending asks of a session, once it is there and has so many. */
  pending(sessionId: string, count = 1): Promise<AskView[]> {
    return this.until(async () => {
      const { items } = await this.api.asks.list({ session_id: sessionId, status: 'pending' }).catch(notYet);
      return items.length === count ? items : undefined;
    });
  }

  answer(
    ask: AskView,
    ...answers: { question_id: string; selected_option_ids?: string[]; freeform_answer?: string }[]
  ) {
    return this.api.questions.answerRun(ask.run_id, { resolution: { request_id: ask.ask_id, answers } });
  }

  decline(ask: AskView, justification: string) {
    const resolution = { request_id: ask.ask_id, declined: true, justification };
    return this.api.questions.answerRun(ask.run_id, { resolution });
  }

  decide(
    ask: AskView,
    decision: {
      behavior: 'allow' | 'deny';
      reason?: string;
      updated_input?: Record<string, unknown>;
      suggestion_ids?: string[];
    },
  ) {
    return this.api.approvals.decideRun(ask.run_id, { resolutions: [{ request_id: ask.ask_id, ...decision }] });
  }

  /** The run, when it has ended. */
  over(runId: string): Promise<RunView> {
    return this.until(async () => {
      const run = await this.api.runs.get(runId);
      return run.finished_at_ms === undefined ? undefined : run;
    });
  }

  /** The run that carries another one on, when it has ended. */
  carriedOn(run: RunView): Promise<RunView> {
    return this.until(async () => {
      const { items } = await this.api.runs.list({ session_id: run.session_id });
      return items.find((r) => r.resumes_run_id === run.run_id && r.finished_at_ms !== undefined);
    });
  }

  /** The lease of a worker that is dead or cut off is over in a second, however long it was given. */
  async lapse(workerId: string, run: RunView, epoch = 1): Promise<void> {
    const body = { worker_id: workerId, lease_epoch: epoch, lease_ms: SHORTEST_LEASE_MS };
    await this.api.workers.heartbeat(run.run_id, body).catch(unlessLetGo);
  }

  /** What the agent said it heard, in order. */
  heard = (run: RunView): string[] => run.outputs.filter((o) => o.type === 'status').map((o) => o.text ?? '');

  async events(sessionId: string, type?: EventView['type']): Promise<EventView[]> {
    const events: EventView[] = [];
    const page = ({ cursor }: { cursor?: string }) =>
      this.api.events.ofSession(sessionId, { limit: 500, ...(cursor && { after: Number(cursor) }) });
    for await (const event of every(page)) if (type === undefined || event.type === type) events.push(event);
    return events;
  }

  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}

function notYet(error: unknown): { items: AskView[] } {
  if (error instanceof HoldpointProblem && error.code === 'session_not_found') return { items: [] };
  throw error;
}

/** It had let go of the run before it died. */
function unlessLetGo(error: unknown): void {
  if (!(error instanceof HoldpointProblem && error.code === 'lease_lost')) throw error;
}

export const WHICH = {
  id: 'which',
  question: 'Which one?',
  options: [
    { id: 'a', label: 'Apples' },
    { id: 'b', label: 'Bread' },
  ],
};
export const BASH = { tool_name: 'Bash', input: { command: 'npm install' } };
