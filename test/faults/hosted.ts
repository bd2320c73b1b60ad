// Work for the workers: sessions of the scripted agent, one run after the other, with asks in every mode. What the
// agent heard it says in outputs; `hear` turns those into knowledge for the auditor when all is quiet.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../src/agents/mock/input.ts';
import { approvalOutcome, hasEnded, questionOutcome } from '../../src/client/outcome.ts';
import { isTerminal } from '../../src/core/run.ts';
import type { ApprovalRequest, AskView, RunView, SessionView } from '../../src/core/views.ts';
import type { Random } from '../support/seeded-random.ts';
import { countOf } from './count.ts';
import type { Account, Knowledge } from './knowledge.ts';
import type { Server } from './phoenix.ts';

const LOOK_MS = 700;
const PREFIX = 'hosted-';
const OPTIONS = [
  { id: 'one', label: 'One' },
  { id: 'two', label: 'Two' },
];

interface HostedOptions {
  name: string;
  random: Random;
  server: Server;
  knowledge: Knowledge;
  stopping(): boolean;
}

export async function runHosted({ name, random, server, knowledge, stopping }: HostedOptions): Promise<void> {
  const id = PREFIX + name;
  await server.call({ path: '/v1/sessions', body: { session_id: id, agent: 'mock' } });
  for (let n = 1; !stopping(); n++) {
    const headers = { 'idempotency-key': `${id}-run-${n}` };
    const body = { input: { text: `${id} ${n}`, script: scriptOf(random, `r${n}`) } };
    const started = await server.call<RunView>({ path: `/v1/sessions/${id}/runs`, headers, body });
    if (started.status !== 202) knowledge.faults.push(`run ${n} of ${id} answered ${started.status}: ${started.text}`);
    await untilFree();
  }

  async function untilFree(): Promise<void> {
    for (;;) {
      await sleep(LOOK_MS);
      const { active_run_id, queued_run_ids } = await server.read<SessionView>(`/v1/sessions/${id}`);
      if (active_run_id === undefined && queued_run_ids.length === 0) return;
    }
  }
}

export function scriptOf(random: Random, run: string): Step[] {
  let named = 0;
  const next = () => `${run}-${++named}`;
  const ask = (mode?: 'blocking' | 'deferred' | 'form' | 'restart'): Step & { do: 'ask' } => ({
    do: 'ask',
    id: next(),
    mode,
    questions: [{ id: 'which', question: 'Which one?', options: OPTIONS }],
    ...(random.chance(0.04) && { expires_after_ms: random.int(50, 2000) }),
  });
  const approve = (mode?: 'blocking' | 'deferred'): Step & { do: 'approve' } => ({
    do: 'approve',
    id: next(),
    mode,
    tool_name: 'Bash',
    input: { command: `make ${random.int(1, 1000)}` },
  });
  const kinds: (() => Step)[] = [
    () => ask(),
    () => approve(),
    () => ask('deferred'),
    () => approve('deferred'),
    () => ask('form'),
    () => ask('restart'),
    () => ({ do: 'parallel', asks: [approve(), ask(), approve(), approve(), ask()] }),
    () => ({ do: 'say', text: 'working' }),
    () => ({ do: 'sleep', ms: random.int(1, 300) }),
  ];
  const script = Array.from({ length: random.int(2, 5) }, () => random.pick(kinds)());
  if (random.chance(0.03)) script.splice(1, 0, { do: 'crash' });
  return [...script, { do: 'complete', text: 'done' }];
}

/** What hosted agents heard, and what they had no occasion to hear because their run was stopped before. */
export function hear(knowledge: Knowledge, { asks, runs, events }: Account): void {
  const hosted = runs.filter((run) => run.session_id.startsWith(PREFIX));
  const byName = new Map(asks.map((ask) => [`${ask.session_id}/${ask.tool_call_id}`, ask]));
  for (const { run_id, session_id, status, outputs } of hosted) {
    if (!isTerminal(status)) knowledge.faults.push(`stuck: hosted run ${run_id} is ${status}`);
    for (const { output_id, text } of outputs) {
      if (!output_id.startsWith('heard-')) continue;
      const ask = byName.get(`${session_id}/${output_id.slice('heard-'.length)}`);
      if (!ask?.answer || text !== `${ask.tool_call_id}: ${heardOf(ask)}`)
        knowledge.faults.push(`applied something else: run ${run_id} says "${text}" in ${output_id}`);
      else knowledge.applied.push({ askId: ask.ask_id, answer: ask.answer });
    }
  }
  const byRun = new Map(hosted.map((run) => [run.run_id, run]));
  const carrying = new Map(hosted.flatMap((run) => (run.resumes_run_id ? [[run.resumes_run_id, run] as const] : [])));
  for (const ask of asks) {
    const raisedIn = byRun.get(ask.run_id);
    const heardIn = ask.mode === 'form' || ask.mode === 'restart' ? carrying.get(ask.run_id) : raisedIn;
    const stopped = [raisedIn, heardIn].find((run) => run && isStopped(run));
    if (raisedIn && stopped) knowledge.unheard.set(ask.ask_id, `run ${stopped.run_id} was ${stopped.status}`);
  }
  const said = countOf(events.filter((e) => e.type === 'output').map((e) => `${e.run_id}/${e.data.output_id}`));
  for (const [output, times] of said) if (times > 1) knowledge.faults.push(`said ${times} times: ${output}`);
}

const isStopped = ({ status }: RunView): boolean =>
  status === 'cancelled' || status === 'failed' || status === 'interrupted';

function heardOf(ask: AskView): string {
  if (!hasEnded(ask)) return '';
  if (ask.kind === 'question') {
    const outcome = questionOutcome(ask);
    return `${outcome.status}: ${outcome.status === 'answered' ? outcome.answer : outcome.reason}`;
  }
  const outcome = approvalOutcome(ask, (ask.request as ApprovalRequest).input);
  return `${outcome.status}: ${outcome.allowed ? `allowed ${JSON.stringify(outcome.input)}` : outcome.reason}`;
}
