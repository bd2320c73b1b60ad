// An agent with nothing but HTTP: starts runs, raises asks, waits, applies each answer, acknowledges it. Its journal is
// what it would keep on disk; now and then it forgets everything else, as a restarted program does, and takes up from
// what the server still owes it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskView, ClarificationView, EventView, MessageView, RunView, SessionView } from '../../src/core/views.ts';
import { openStream } from '../support/http.ts';
import type { Random } from '../support/seeded-random.ts';
import type { Knowledge } from './knowledge.ts';
import type { Server } from './phoenix.ts';

export const PARENT_SESSION = 'parent';

/** How it works; for many agents on a busy machine less impatient than by itself. */
export interface Manners {
  parent?: string;
  /** Most asks it raises at once. */
  together?: number;
  pollMs?: number;
}

interface AgentOptions extends Manners {
  name: string;
  random: Random;
  server: Server;
  knowledge: Knowledge;
  stopping(): boolean;
}

const OPTIONS = [
  { id: 'one', label: 'One' },
  { id: 'two', label: 'Two' },
  { id: 'three', label: 'Three' },
];
const POLL_MS = 20;

export async function runAgent(options: AgentOptions): Promise<void> {
  const { name, random, server, knowledge, stopping } = options;
  const { parent = PARENT_SESSION, together: most = 3, pollMs = POLL_MS } = options;
  const { call, read } = server;
  const journal = new Set<string>();
  const mailRead = new Set<string>();
  const mailConfirmed = new Set<string>();

  await call({
    path: '/v1/sessions',
    body: { session_id: name, agent: 'external', parent_session_id: parent },
  });
  for (let n = 1; !stopping(); n++) {
    const run = await startRun(n);
    knowledge.liveRuns.add(run);
    const steps = random.int(1, 3);
    for (let step = 1; step <= steps; step++) await work(run, step);
    const ended = await call<RunView>({ path: `/v1/runs/${run}/complete`, body: {} });
    if (ended.status !== 200 && ended.status !== 409) fault(`complete ${run} answered ${ended.status}: ${ended.text}`);
    knowledge.liveRuns.delete(run);
  }

  async function startRun(n: number): Promise<string> {
    const headers = { 'idempotency-key': `${name}-run-${n}` };
    const body = { input: { text: `${name} ${n}` } };
    const started = await call<RunView>({ path: `/v1/sessions/${name}/runs`, headers, body });
    if (started.status !== 202) fault(`run ${n} of ${name} answered ${started.status}: ${started.text}`);
    return started.body.run_id;
  }

  async function work(run: string, step: number): Promise<void> {
    if (random.chance(0.12)) return clarify(run, `call-${step}`);
    const together = random.chance(most > 3 ? 0.7 : 0.3) ? random.int(2, most) : 1;
    const bodies = Array.from({ length: together }, (_, i) => askBody(`call-${step}-${i}`));
    const raised = await Promise.all(bodies.map((body) => call<AskView>({ path: `/v1/runs/${run}/asks`, body })));
    // A run that was cancelled or expired meanwhile takes no more asks; those it took still end.
    const asks = raised.filter((r) => r.status < 300).map((r) => r.body.ask_id);
    for (const { status, text } of raised)
      if (status >= 300 && !(status === 409 && text.includes('run_state_conflict'))) fault(`raise answered ${text}`);
    if (random.chance(0.15)) return collectDue();
    const wait = random.chance(0.5) ? untilEndedByPoll : untilEndedByStream;
    for (const ask of asks) {
      const ended = await wait(ask);
      apply(ended);
      if (random.chance(0.1)) return collectDue();
      await acknowledge(ended);
    }
  }

  function askBody(toolCallId: string): object {
    const expiry = random.chance(0.06) ? { expires_after_ms: random.int(20, 400) } : {};
    if (random.chance(0.5)) {
      const input = { command: `make ${random.int(1, 1000)}`, nested: { deep: [random.int(1, 9), null, 'ä€😀'] } };
      return { kind: 'approval', tool_call_id: toolCallId, tool_name: 'Bash', input, ...expiry };
    }
    const questions = [
      { id: 'which', question: 'Which one?', options: OPTIONS },
      { id: 'many', question: 'Which ones?', options: OPTIONS, multi_select: true, required: false },
      { id: 'words', question: 'Anything else?', required: false },
    ].slice(0, random.int(1, 3));
    return { kind: 'question', tool_call_id: toolCallId, questions, ...expiry };
  }

  async function untilEndedByPoll(ask: string): Promise<AskView> {
    for (;;) {
      const found = await read<AskView>(`/v1/asks/${ask}?wait_ms=3000`);
      if (found.status !== 'pending') return found;
    }
  }

  /** Follows the session until it says the ask has ended; what the event said is what the ask must say. */
  async function untilEndedByStream(ask: string): Promise<AskView> {
    let last = '0';
    for (;;) {
      const path = `/v1/sessions/${name}/events`;
      const opened = await openStream(await server.url(), {
        path,
        token: server.token,
        headers: { 'last-event-id': last },
      }).catch(() => undefined);
      if (!opened) await sleep(pollMs);
      for await (const { id, data } of opened?.events ?? []) {
        if (Number(id) <= Number(last)) fault(`the stream of ${name} went back from ${last} to ${id}`);
        last = id ?? last;
        const event = JSON.parse(data) as EventView;
        if (event.type !== 'ask.claimed' || event.ask_id !== ask) continue;
        opened?.close();
        const found = await read<AskView>(`/v1/asks/${ask}`);
        if (found.answer?.answered_at_ms !== (event.data.answer as AskView['answer'])?.answered_at_ms)
          fault(`ask ${ask} was streamed with another answer than it has`);
        return found;
      }
    }
  }

  /** As after a restart of this program: whatever the server says is due or pending, and what the journal says was done. */
  async function collectDue(): Promise<void> {
    for (;;) {
      // What is pending first: an ask that ends between the two lists is then in at least one of them.
      const [open] = await read<AskView[]>(`/v1/asks?session_id=${name}&status=pending`);
      const before = new Set(knowledge.confirmed);
      const due = await read<AskView[]>(`/v1/asks?session_id=${name}&delivery=due`);
      for (const ask of due) {
        if (before.has(ask.ask_id)) fault(`ask ${ask.ask_id} was offered again after its acknowledgement`);
        apply(ask);
        await acknowledge(ask);
      }
      if (open) await untilEndedByPoll(open.ask_id);
      else if (due.length === 0) return;
    }
  }

  function apply(ask: AskView): void {
    if (journal.has(ask.ask_id)) return;
    journal.add(ask.ask_id);
    if (ask.answer) knowledge.applied.push({ askId: ask.ask_id, answer: ask.answer });
    else fault(`ask ${ask.ask_id} ended without an answer`);
  }

  async function acknowledge(ask: AskView): Promise<void> {
    const digest = ask.answer?.digest ?? ask.request.digest;
    const done = await call<AskView>({ path: `/v1/asks/${ask.ask_id}/delivered`, body: { digest } });
    if (done.status !== 200) return fault(`acknowledging ${ask.ask_id} answered ${done.status}: ${done.text}`);
    knowledge.confirmed.add(ask.ask_id);
  }

  async function clarify(run: string, toolCallId: string): Promise<void> {
    const questions = [{ id: 'which', question: `What does ${name} mean?`, options: OPTIONS }];
    const body = { tool_call_id: toolCallId, questions };
    const asked = await call<ClarificationView>({ path: `/v1/runs/${run}/clarifications`, body });
    if (asked.status === 409) return;
    if (asked.status > 201) return fault(`clarify answered ${asked.status}: ${asked.text}`);
    while (!mailRead.has(asked.body.request_id)) {
      await sleep(pollMs);
      await readMail();
    }
  }

  async function readMail(): Promise<void> {
    const confirmed = new Set(mailConfirmed);
    const letters = await read<MessageView[]>(`/v1/sessions/${name}/mailbox`);
    for (const { message_id: messageId, payload } of letters) {
      if (confirmed.has(messageId)) fault(`message ${messageId} was offered again after its acknowledgement`);
      const requestId = String(payload.request_id);
      if (!mailRead.has(requestId)) knowledge.mail.push({ requestId, messageId, declined: payload.declined === true });
      mailRead.add(requestId);
      const done = await call({ path: `/v1/sessions/${name}/mailbox/${messageId}/ack`, body: {} });
      if (done.status !== 200) fault(`acknowledging ${messageId} answered ${done.status}: ${done.text}`);
      mailConfirmed.add(messageId);
    }
  }

  function fault(sentence: string): void {
    knowledge.faults.push(`agent ${name}: ${sentence}`);
  }
}

/** The session that all agents ask for clarifications. Nobody works in it, so that its slot is free for them in turn. */
export async function openParent({ call }: Server, id = PARENT_SESSION): Promise<void> {
  await call<SessionView>({ path: '/v1/sessions', body: { session_id: id, agent: 'external' } });
}
