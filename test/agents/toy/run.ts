// Runs the toy program and translates its lines to asks: `{ask}` and `{settled}` in, `{id, …}` out.
import type { AgentContext, Ending, LineProcess } from '../../../src/agents/agent.ts';
import { createPendingAsks } from '../../../src/agents/kit/pending-asks.ts';
import type { PlannedCall } from '../../conformance/agent.ts';

interface Line {
  ask?: PlannedCall;
  settled?: string;
  done?: true;
}

export async function runToy(context: AgentContext): Promise<Ending> {
  const pending = createPendingAsks<string, object>(context);
  let program: LineProcess | undefined;
  let isDone = false;
  let failure: unknown;

  async function ask(call: PlannedCall): Promise<void> {
    const { id } = call;
    const open = pending.open(id, {});
    const reply = await replyTo(context, call, open.options);
    if (!open.isOver()) program?.send(JSON.stringify({ id, ...reply }));
    open.done();
  }

  const mark = `HOLDPOINT_RUN_ID=${context.run.run_id}`;
  program = await context.processes.start({
    argv: ['toy'],
    folder: context.session.work_folder ?? '/',
    env: { ...context.env, HOLDPOINT_RUN_ID: context.run.run_id },
    mark,
    signal: context.signal,
    onLine(line) {
      const { ask: asked, settled, done } = JSON.parse(line) as Line;
      if (settled !== undefined) pending.get(settled)?.withdraw('settled at the prompt of the toy');
      if (done) isDone = true;
      if (asked)
        ask(asked).catch((error: unknown) => {
          if (!context.signal.aborted) failure ??= error;
        });
    },
  });
  void program.exited.then(() => pending.close());
  await program.ended;
  context.signal.throwIfAborted();
  if (isDone) return { ended: 'completed', text: 'Done.' };
  if (pending.hasUnanswered()) return { ended: 'held' };
  return { ended: 'failed', error: `The toy ended in the middle of its work: ${failure}` };
}

async function replyTo(context: AgentContext, call: PlannedCall, options: { signal: AbortSignal }) {
  if ('command' in call) {
    const outcome = await context.approve({ id: call.id, tool_name: 'Toy', input: { command: call.command } }, options);
    if (outcome.status === 'held' || !outcome.allowed)
      return { text: outcome.status === 'held' ? 'held' : outcome.reason };
    return { command: outcome.input.command };
  }
  const questions = call.questions.map(({ question, options }) => ({
    question,
    required: false,
    options: options.map((label) => ({ label })),
  }));
  const outcome = await context.ask({ id: call.id, questions }, options);
  if (outcome.status === 'held') return { text: 'held' };
  if (outcome.status !== 'answered') return { text: `${outcome.status}: ${outcome.reason}` };
  return { text: `${outcome.answer} (skipped: ${outcome.skipped.join(', ')})` };
}
