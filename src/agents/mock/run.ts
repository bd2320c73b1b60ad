// Plays a script of the mock agent, and serves as a model of what an adapter must get right. Ids derive from the position
// in the script, so a resumed run, or a run that continues another one, repeats no output and finds its asks answered.

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

/** The output in which a run that will be carried on by another one leaves its input. */
const CHECKPOINT = 'mock-checkpoint';

/** An ask that ended with its worker is asked again under another name. */
const LOST_WITH_WORKER = 'worker_restart';

export async function runMock(context: AgentContext): Promise<Ending> {
  const read = MockInput.safeParse(await inputOf(context));
  if (!read.success) return { ended: 'failed', error: `The script is not well formed: ${z.prettifyError(read.error)}` };
  const { script, report } = read.data;
  const ending = await play(context, script ?? demoScript(read.data.text));
  if (report && ending.ended === 'completed') await context.report({ text: 'The sub-agent is done.', script: report });
  return ending;
}

/** A run that carries a form's answer has that answer as its input; the script is where the mock wrote it down. */
async function inputOf(context: AgentContext): Promise<Record<string, unknown>> {
  if (context.input.script !== undefined || context.run.resumes_run_id === undefined) return context.input;
  for (const { run } of await context.earlier()) {
    const written = run.outputs.find((output) => output.output_id === CHECKPOINT);
    if (written?.data) return written.data;
  }
  return context.input;
}

async function play(context: AgentContext, script: readonly Step[]): Promise<Ending> {
  const earlier = await context.earlier();
  const carried = new Map<string, AskView>();
  for (const ask of [...earlier.flatMap((e) => e.asks), ...context.due]) carried.set(ask.tool_call_id, ask);
  const saidBefore = new Set(earlier.flatMap((e) => e.run.outputs.map((o) => o.output_id)));
  const root = earlier.at(-1)?.run.run_id ?? context.run.run_id;
  const quotable = new Map<string, string>();

  async function steps(list: readonly Step[], place: string): Promise<Ending | undefined> {
    for (const [i, step] of list.entries()) {
      context.signal.throwIfAborted();
      const ending = await one(step, `${place}${i}`);
      if (ending) return ending;
    }
    return undefined;
  }

  async function one(step: Step, place: string): Promise<Ending | undefined> {
    switch (step.do) {
      case 'say':
        return say(await quoted(step.text), `say-${place}`, step.type);
      case 'ask':
      case 'approve':
      case 'clarify':
        return after(step, place, await put(step, place));
      case 'parallel':
        return parallel(step.asks, place);
      case 'subagent':
        return spawn(step, place);
      case 'sleep':
        return pause(step.ms, context.signal);
      case 'fail':
        return { ended: 'failed', error: step.error };
      case 'crash':
        return crash(`crash-${place}`);
      case 'complete':
        return { ended: 'completed', text: step.text && (await quoted(step.text)) };
    }
  }

  async function say(text: string | undefined, id: string, type?: string): Promise<undefined> {
    if (!saidBefore.has(id)) await context.output(text, { id, type });
  }

  /** Each is stored before the next is raised, so they are shown in their order; their ends come in any. */
  async function parallel(asks: readonly (AskStep | ApproveStep)[], place: string): Promise<Ending | undefined> {
    const places = asks.map((_, i) => `${place}.${i}`);
    const ends: Promise<Outcome | Held>[] = [];
    for (const [i, ask] of asks.entries()) {
      const { promise: stored, resolve } = Promise.withResolvers<unknown>();
      const end = put(ask, places[i] ?? place, { raised: resolve });
      end.catch(() => {});
      ends.push(end);
      await Promise.race([stored, end]);
    }
    const outcomes = await Promise.all(ends);
    if (outcomes.some((o) => o.status === 'held')) return { ended: 'held' };
    for (const [i, ask] of asks.entries()) {
      const ending = await after(ask, places[i] ?? place, outcomes[i] as Outcome);
      if (ending) return ending;
    }
    return undefined;
  }

  /** Raises the ask, or takes its end from the run this one carries on. */
  async function put(
    step: AskStep | ApproveStep | ClarifyStep,
    place: string,
    options?: AskOptions,
  ): Promise<Outcome | Held> {
    const id = step.id ?? `step-${place}`;
    const known = carried.get(id);
    if (known && known.run_id !== context.run.run_id && hasEnded(known)) {
      if (known.delivery.state === 'due') await context.acknowledge(known.ask_id);
      return outcomeOf(known);
    }
    if (step.do === 'clarify') return context.askParent({ ...step, id });
    if (step.mode === 'form') await context.output(undefined, { id: CHECKPOINT, type: 'checkpoint', data: { script } });
    for (let attempt = 1; ; attempt++) {
      const outcome = await raise(step, nthId(id, attempt), options);
      const isLost = outcome.status === 'cancelled' && outcome.reason === LOST_WITH_WORKER;
      if (!isLost) return outcome;
    }
  }

  function raise(step: AskStep | ApproveStep, id: string, options?: AskOptions): Promise<Outcome | Held> {
    if (step.do === 'ask') {
      const { mode, questions, expires_after_ms } = step;
      return context.ask({ id, mode, questions, expires_after_ms }, options);
    }
    const { mode, tool_name, input, reason, suggestions, diff, work_folder, expires_after_ms } = step;
    const spec = { id, mode, tool_name, input, reason, suggestions, diff, work_folder, expires_after_ms };
    return context.approve(spec, options);
  }

  /** Says what was heard, then goes the way it points. */
  async function after(
    step: AskStep | ApproveStep | ClarifyStep,
    place: string,
    outcome: Outcome | Held,
  ): Promise<Ending | undefined> {
    if (outcome.status === 'held') return { ended: 'held' };
    const id = step.id ?? `step-${place}`;
    quotable.set(id, inWords(outcome, secretsOf(step)));
    await say(`${id}: ${outcome.status}: ${quotable.get(id)}`, `heard-${id}`, 'status');
    const isYes = 'allowed' in outcome ? outcome.allowed : outcome.status === 'answered';
    const way = step.do === 'approve' ? (isYes ? 'allowed' : 'denied') : isYes ? 'answered' : 'otherwise';
    const next = (step as Partial<Record<typeof way, Step[]>>)[way];
    return next && steps(next, `${place}.${way}.`);
  }

  async function spawn(step: SubagentStep, place: string): Promise<undefined> {
    const id = `${root}.${step.id ?? `step-${place}`}`;
    const input = { text: step.text ?? '', script: step.script, ...(step.afterwards && { report: step.afterwards }) };
    await context.spawn({ id, agent: context.session.agent, title: step.title, input });
  }

  async function crash(id: string): Promise<Ending | undefined> {
    if (saidBefore.has(id) || context.run.outputs.some((o) => o.output_id === id)) return undefined;
    await context.output(undefined, { id, type: 'checkpoint', data: {} });
    return { ended: 'vanished' };
  }

  async function quoted(text: string): Promise<string> {
    const names = [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name = '']) => name);
    if (names.some((name) => !quotable.has(name)))
      for (const ask of await context.history())
        if (hasEnded(ask) && !quotable.has(ask.tool_call_id))
          quotable.set(ask.tool_call_id, inWords(outcomeOf(ask), []));
    return text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => quotable.get(name) ?? whole);
  }

  return (await steps(script, '')) ?? { ended: 'completed' };
}

function outcomeOf(ask: AskView & { answer: NonNullable<AskView['answer']> }): Outcome {
  if (ask.kind === 'approval') return approvalOutcome(ask, ask.request.input);
  return questionOutcome(ask);
}

/** What was answered, fit to be said aloud: never a secret. */
function inWords(outcome: Outcome, secrets: readonly string[]): string {
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

function secretsOf(step: AskStep | ApproveStep | ClarifyStep): string[] {
  if (step.do === 'approve') return [];
  return step.questions.flatMap((q, i) => (q.secret ? [q.id ?? `question-${i + 1}`] : []));
}

function pause(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(undefined);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
