// Plays a script of the mock agent, and serves as a model of what an adapter must get right. Ids derive from the position
// in the script, so a resumed run, or a run that continues another one, repeats no output and finds its asks answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { AskOptions } from '../../client/asking.ts';
import {
  type ApprovalOutcome,
  type AskOutcome,
  approvalOutcome,
  type Held,
  hasEnded,
  questionOutcome,
} from '../../client/outcome.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext, Ending } from '../agent.ts';
import { nthId } from '../kit/ask-ids.ts';
import { demoScript } from './demo-script.ts';
import { type ApproveStep, type AskStep, type ClarifyStep, MockInput, type Step, type SubagentStep } from './input.ts';

type Outcome = AskOutcome | ApprovalOutcome;
type Asking = AskStep | ApproveStep | ClarifyStep;

/** The output that holds the script for the run that carries a form's answer. */
const CHECKPOINT = 'mock-checkpoint';
/** To any comment: it plays a script and knows nothing else. */
const COMMENT_REPLY = 'I am a scripted demo and know no more than this. Another agent would explain itself here.';
/** An ask that ended with its worker is raised again under another id. */
const LOST_WITH_WORKER = 'worker_restart';

export async function runMock(context: AgentContext): Promise<Ending> {
  const read = MockInput.safeParse(await inputOf(context));
  if (!read.success) return { ended: 'failed', error: `The script is not well formed: ${z.prettifyError(read.error)}` };
  const { script, report } = read.data;
  const ending = await playScript(context, script ?? demoScript(read.data.text));
  if (report && ending.ended === 'completed') await context.report({ text: 'The sub-agent is done.', script: report });
  return ending;
}

/** The input of a run that carries a form's answer is that answer; the script is in an output of the earlier run. */
async function inputOf(context: AgentContext): Promise<Record<string, unknown>> {
  if (context.input.script !== undefined || context.run.resumes_run_id === undefined) return context.input;
  for (const { run } of await context.earlier()) {
    const stored = run.outputs.find((output) => output.output_id === CHECKPOINT);
    if (stored?.data) return stored.data;
  }
  return context.input;
}

async function playScript(context: AgentContext, script: readonly Step[]): Promise<Ending> {
  const earlier = await context.earlier();
  const carried = new Map<string, AskView>();
  for (const ask of [...earlier.flatMap((e) => e.asks), ...context.due]) carried.set(ask.tool_call_id, ask);
  const earlierOutputs = new Set(earlier.flatMap((e) => e.run.outputs.map((o) => o.output_id)));
  const root = earlier.at(-1)?.run.run_id ?? context.run.run_id;
  const quotes = new Map<string, string>();

  async function steps(list: readonly Step[], position: string): Promise<Ending | undefined> {
    for (const [i, step] of list.entries()) {
      context.signal.throwIfAborted();
      const ending = await play(step, `${position}${i}`);
      if (ending) return ending;
    }
    return undefined;
  }

  async function play(step: Step, position: string): Promise<Ending | undefined> {
    switch (step.do) {
      case 'say':
        return say(await quoted(step.text), `say-${position}`, step.type);
      case 'ask':
      case 'approve':
      case 'clarify':
        return after(step, position, await ask(step, position));
      case 'parallel':
        return parallel(step.asks, position);
      case 'subagent':
        return spawn(step, position);
      case 'sleep':
        await sleep(step.ms, undefined, { signal: context.signal });
        return undefined;
      case 'fail':
        return { ended: 'failed', error: step.error };
      case 'crash':
        return crash(`crash-${position}`);
      case 'complete':
        return { ended: 'completed', text: step.text && (await quoted(step.text)) };
    }
  }

  async function say(text: string | undefined, id: string, type?: string): Promise<undefined> {
    if (!earlierOutputs.has(id)) await context.output(text, { id, type });
  }

  /** Each is stored before the next is raised, so that they are displayed in order; they may end in any order. */
  async function parallel(list: readonly (AskStep | ApproveStep)[], position: string): Promise<Ending | undefined> {
    const asks = list.map((step, i) => ({ step, position: `${position}.${i}` }));
    const ends: Promise<Outcome | Held>[] = [];
    for (const { step, position } of asks) {
      const { promise: stored, resolve } = Promise.withResolvers<unknown>();
      const end = ask(step, position, { raised: resolve });
      end.catch(() => {});
      ends.push(end);
      await Promise.race([stored, end]);
    }
    const outcomes = await Promise.all(ends);
    if (outcomes.some(({ status }) => status === 'held')) return { ended: 'held' };
    for (const [i, { step, position }] of asks.entries()) {
      const ending = await after(step, position, outcomes[i] as Outcome);
      if (ending) return ending;
    }
    return undefined;
  }

  /** Raises the ask, or takes its outcome from the run that this one continues. */
  async function ask(step: Asking, position: string, options?: AskOptions): Promise<Outcome | Held> {
    const id = idOf(step, position);
    const known = carried.get(id);
    if (known && known.run_id !== context.run.run_id && hasEnded(known)) {
      if (known.delivery.state === 'due') await context.acknowledge(known.ask_id);
      return outcomeOf(known);
    }
    if (step.do === 'clarify') return context.askParent({ ...step, id });
    if (step.mode === 'form') await context.output(undefined, { id: CHECKPOINT, type: 'checkpoint', data: { script } });
    for (let n = 1; ; n++) {
      const outcome = await raise(step, nthId(id, n), options);
      if (outcome.status !== 'cancelled' || outcome.reason !== LOST_WITH_WORKER) return outcome;
    }
  }

  function raise(step: AskStep | ApproveStep, id: string, options?: AskOptions): Promise<Outcome | Held> {
    const heard = { onComment: () => COMMENT_REPLY, ...options };
    if (step.do === 'ask') return context.ask({ ...step, id }, heard);
    const { do: _, allowed: _allowed, denied: _denied, ...spec } = step;
    return context.approve({ ...spec, id }, heard);
  }

  /** Reports the outcome, then plays the branch for it. */
  async function after(step: Asking, position: string, outcome: Outcome | Held): Promise<Ending | undefined> {
    if (outcome.status === 'held') return { ended: 'held' };
    const id = idOf(step, position);
    quotes.set(id, outcomeText(outcome, secretsOf(step)));
    await say(`${id}: ${outcome.status}: ${quotes.get(id)}`, `heard-${id}`, 'status');
    const isYes = 'allowed' in outcome ? outcome.allowed : outcome.status === 'answered';
    const branch = step.do === 'approve' ? (isYes ? 'allowed' : 'denied') : isYes ? 'answered' : 'otherwise';
    const next = (step as Partial<Record<typeof branch, Step[]>>)[branch];
    return next && steps(next, `${position}.${branch}.`);
  }

  async function spawn(step: SubagentStep, position: string): Promise<undefined> {
    const id = `${root}.${idOf(step, position)}`;
    const input = { text: step.text ?? '', script: step.script, ...(step.afterwards && { report: step.afterwards }) };
    await context.spawn({ id, agent: context.session.agent, title: step.title, input });
  }

  async function crash(id: string): Promise<Ending | undefined> {
    if (earlierOutputs.has(id) || context.run.outputs.some((o) => o.output_id === id)) return undefined;
    await context.output(undefined, { id, type: 'checkpoint', data: {} });
    return { ended: 'vanished' };
  }

  async function quoted(text: string): Promise<string> {
    const names = [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name = '']) => name);
    if (names.some((name) => !quotes.has(name)))
      for (const ask of await context.history())
        if (hasEnded(ask) && !quotes.has(ask.tool_call_id))
          quotes.set(ask.tool_call_id, outcomeText(outcomeOf(ask), []));
    return text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => quotes.get(name) ?? whole);
  }

  return (await steps(script, '')) ?? { ended: 'completed' };
}

const idOf = ({ id }: { id?: string | undefined }, position: string): string => id ?? `step-${position}`;

function outcomeOf(ask: AskView & { answer: NonNullable<AskView['answer']> }): Outcome {
  if (ask.kind === 'approval') return approvalOutcome(ask, ask.request.input);
  return questionOutcome(ask);
}

/** The outcome as text, without secrets. */
function outcomeText(outcome: Outcome, secrets: readonly string[]): string {
  if ('allowed' in outcome) {
    const along = outcome.suggestion_ids.length > 0 ? ` with ${outcome.suggestion_ids.join(', ')}` : '';
    return outcome.allowed ? `allowed ${JSON.stringify(outcome.input)}${along}` : outcome.reason;
  }
  if (outcome.status !== 'answered') return outcome.reason;
  const skipped = outcome.skipped.length > 0 ? `\n(skipped: ${outcome.skipped.join(', ')})` : '';
  if (secrets.length === 0) return outcome.answer + skipped;
  const shown = outcome.answers.map((a) =>
    secrets.includes(a.question_id)
      ? `(a secret of ${a.text?.length ?? 0} characters)`
      : [...a.labels, a.text ?? ''].join(' ').trim(),
  );
  return shown.join('\n') + skipped;
}

function secretsOf(step: Asking): string[] {
  if (step.do === 'approve') return [];
  return step.questions.flatMap((q, i) => (q.secret ? [q.id ?? `question-${i + 1}`] : []));
}
