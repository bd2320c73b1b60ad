// Starts a run with an input, records its outputs, and ends it when its agent reports the end.
import { type Author, authorOf, WORKER_RESTART } from '../core/ask.ts';
import type { PostOutput, StartRun } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import { isForRecovery, type Output } from '../core/output.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { type FailureReason, type Interruption, isTerminal, isWaiting, LOST_ERROR, type Run } from '../core/run.ts';
import { countBytes, EXTERNAL_AGENT } from '../core/session.ts';
import { shorten } from '../core/text-limit.ts';
import type { Actor } from '../core/token.ts';
import type { RunView } from '../core/views.ts';
import { takeCarried } from './carried-answer.ts';
import { finish } from './finish.ts';
import { checkTakesInput, refuseAttached } from './input.ts';
import { keepAnswers } from './kept-answers.ts';
import { checkLease, isHostedRun } from './lease.ts';
import { type Ledger, openForWork, openRun } from './ledger.ts';
import { type Key, made, mutate, ok, type Reply } from './mutate.ts';
import { checkQueue, checkQuota } from './quota.ts';
import { enqueue, type Opening } from './slot.ts';
import { OUTPUT_BYTES, runReply, runView } from './views.ts';
import { checkWorkerStarts } from './worker-rights.ts';

const LAST_MESSAGE_CHARACTERS = 50_000;

export interface StartCommand {
  sessionId: string;
  body: StartRun;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function startRun(ports: Ports, command: StartCommand): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openForWork(ports, tx, command.sessionId);
    checkMayStart(ledger, command);
    await checkWorkerStarts(ledger, command.body, command);
    checkQueue(ledger, command.actor);
    if (command.actor.scope !== 'operator') checkQuota(ledger);
    const run = await beginWork(ledger, command.body, command.actor);
    return runReply(ledger, run, made);
  });
}

/**
 * Only people start work of a hosted agent and choose its settings: an agent could lift its own limits. The turns of an
 * attached agent begin at its own prompt; the agent's side reports them and names itself as the source.
 */
function checkMayStart(ledger: Ledger, { actor: { scope }, body: { source } }: StartCommand): void {
  const { session } = ledger;
  if (source !== session.agentId) refuseAttached(ledger);
  if (scope !== 'agent' || session.agent === EXTERNAL_AGENT) return;
  const detail = `An agent starts work by itself only in a session of agent "${EXTERNAL_AGENT}"; this one is hosted (${session.agent}).`;
  throw fail('scope_forbidden', detail);
}

const NOT_A_LINE =
  'body.input.command: must be an array with one string for each argument, such as ["ls", "-l"]; for a line of the shell ["sh", "-c", "ls -l"].';

export async function beginWork(ledger: Ledger, body: StartRun, actor: Actor): Promise<Run> {
  const { session } = ledger;
  await checkTakesInput(ledger);
  const isDispatch = ledger.ports.isDispatchAgent(session.agent);
  if (isDispatch && typeof body.input.command === 'string') throw fail('invalid_request', NOT_A_LINE);
  const problem = ledger.ports.inputProblem?.(session.agent, body.input);
  if (problem !== undefined) throw fail('invalid_request', problem);
  const wanted = {
    kind: isDispatch ? ('dispatch' as const) : ('input' as const),
    input: body.input,
    source: body.source ?? actor.surface,
    actor: actor.name,
    subtaskId: body.subtask_id === undefined ? undefined : JSON.stringify(body.subtask_id),
  };
  return enqueue(ledger, wanted, openingOf(actor, body.input.text));
}

/** The role follows from the author, not from the session: what an agent begins is not a person's post. */
function openingOf({ scope }: Actor, text: unknown): Opening {
  if (typeof text !== 'string' || text.trim() === '') return {};
  return { text, role: scope === 'operator' ? 'user' : 'worker' };
}

export interface AgentCommand {
  runId: string;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

/** Idempotent by output id: an agent that replays adds no output twice. */
export function postOutput(ports: Ports, command: AgentCommand & { body: PostOutput }): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    await checkLease(ledger, run, command);
    if (isTerminal(run.status) || run.status === 'queued')
      throw fail('run_state_conflict', `The run is ${run.status}; only a run at work has outputs.`);
    if (run.clarification)
      throw fail('run_state_conflict', 'This run only asks what a child wants to know; no agent works in it.');
    if (run.leaseEpoch > 0 && isForRecovery(command.body, run.agent)) mustHoldLease(command, run.agent);
    await refuseAfterForm(tx, run, command);
    checkQuota(ledger);
    await takeCarried(ledger, run);
    const { output_id, idempotency_key: _, ...content } = command.body;
    if (await say(ledger, run, content, output_id)) await tx.update('run', run);
    return runReply(ledger, run);
  });
}

/** With a form the agent has stopped. What its runtime says of the tool call itself, and its worker, is still taken. */
async function refuseAfterForm(
  tx: Tx,
  run: Run,
  { body, leaseEpoch }: AgentCommand & { body: PostOutput },
): Promise<void> {
  if (!isWaiting(run.status) || leaseEpoch !== undefined || body.type === 'tool_result') return;
  const last = (await tx.pendingHeads(run.id)).at(-1);
  if (last?.mode === 'form')
    throw fail('run_state_conflict', `The run stopped when it displayed ${last.id}; the next run says more.`);
}

/** A run's own programs know the epoch as well as its worker does: the token's scope distinguishes them. */
function mustHoldLease({ body, actor, leaseEpoch }: AgentCommand & { body: PostOutput }, agent: string): void {
  if (leaseEpoch !== undefined && actor.scope !== 'agent') return;
  const named = isForRecovery({ type: body.type }, agent) ? `type "${body.type}"` : `id "${body.output_id}"`;
  throw fail(
    'scope_forbidden',
    `An output of the ${named} is kept by the worker that hosts the run, to take it up again. Give it another name.`,
  );
}

type Said = Pick<PostOutput, 'type' | 'text' | 'data'>;

/** An output with a text is shown to people, with its data; any other is stored for the agent alone. */
async function say(ledger: Ledger, run: Run, said: Said, outputId?: string): Promise<boolean> {
  const { tx, ports, session, now } = ledger;
  const id = outputId ?? ports.ids.next('out');
  const position = run.outputCount + 1;
  if (!(await tx.insert('output', { id, runId: run.id, position, at: now, content: said }))) return false;
  run.outputCount = position;
  run.updatedAt = now;
  const { type, text, data } = said;
  if (text !== undefined && (type ?? 'text') === 'text') session.lastMessage = lastMessageOf(text);
  const shown = text !== undefined && data !== undefined ? { data } : {};
  if (text === undefined && data !== undefined) countBytes(session, JSON.stringify(data).length, now);
  ledger.note('output', { output_id: id, type, text, ...shown }, run.id);
  return true;
}

/** A session shows the beginning of what was said last; the whole is in the log. */
const lastMessageOf = (text: string): string => shorten(text, LAST_MESSAGE_CHARACTERS);

/** Adds the final text of a run, unless it is a repeat of the last output. */
async function sayLast(ledger: Ledger, run: Run, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  const isRepeat =
    ledger.session.lastMessage === lastMessageOf(text) && (await ledger.tx.outputs(run.id, OUTPUT_BYTES)).some(says);
  if (!isRepeat) await say(ledger, run, { text }, `${run.id}_end`);

  function says({ content }: Output): boolean {
    return content.text === text && (content.type ?? 'text') === 'text';
  }
}

export function completeRun(
  ports: Ports,
  command: AgentCommand & { text?: string | undefined; exitCode?: number | undefined },
): Promise<Reply<RunView>> {
  return end(ports, command, 'completed', async (ledger, run, author) => {
    await sayLast(ledger, run, command.text);
    return finish(ledger, run, 'completed', { author, exitCode: command.exitCode });
  });
}

export interface FailCommand extends AgentCommand {
  error?: string | undefined;
  reason?: FailureReason | undefined;
  interruptedBy?: Interruption | undefined;
  exitCode?: number | undefined;
}

export function failRun(ports: Ports, command: FailCommand): Promise<Reply<RunView>> {
  if (command.interruptedBy) return interruptRun(ports, command);
  const { error = 'the agent failed', reason: outcome, exitCode } = command;
  return end(ports, command, 'failed', (ledger, run, author) =>
    finish(ledger, run, 'failed', { author, error, outcome, exitCode }),
  );
}

/** After the loss of its worker, asks end as `worker_restart` and undelivered answers are kept. */
function interruptRun(ports: Ports, command: FailCommand): Promise<Reply<RunView>> {
  const isLost = command.interruptedBy === WORKER_RESTART;
  // It keeps answers for the next run: an agent could have one answer given again without end.
  if (isLost && command.actor.scope === 'agent')
    throw fail('scope_forbidden', 'Only a worker or an operator reports a lost worker. Leave out `interrupted_by`.');
  const error = command.error ?? (isLost ? LOST_ERROR : 'interrupted at the agent');
  return end(ports, command, 'interrupted', async (ledger, run, author) => {
    if (isLost) await keepAnswers(ledger, run);
    return finish(ledger, run, 'interrupted', { author, error, ...(isLost && { askReason: WORKER_RESTART }) });
  });
}

type Ending = (ledger: Ledger, run: Run, author: Author) => Promise<Run>;

/** Idempotent for a repeat of the same end; any other change of an ended run is refused. */
function end(
  ports: Ports,
  command: AgentCommand,
  status: 'completed' | 'failed' | 'interrupted',
  ending: Ending,
): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    if (run.status === status) return ok(await runView(tx, ledger.session, run));
    if (command.actor.scope === 'agent' && isHostedRun(run))
      throw fail(
        'scope_forbidden',
        'The worker that hosts this run reports its end. Say more with an output, or exit.',
      );
    await checkLease(ledger, run, command);
    if (isTerminal(run.status))
      throw fail('run_state_conflict', `The run is already ${run.status}; it does not change any more.`);
    if (run.clarification)
      throw fail('run_state_conflict', 'A clarification ends with its question: answer, decline or cancel that.');
    return runReply(ledger, await ending(ledger, run, authorOf(command.actor)));
  });
}
