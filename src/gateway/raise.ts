// Raises an ask: writes the ask, its events and the held run in one transaction. Nothing is shown before that commit.
// Idempotent by tool call.
import {
  type ApprovalContent,
  type Ask,
  type AskMode,
  type AskRaiser,
  endAsk,
  isOverdue,
  type PendingAsk,
  type QuestionContent,
  WORKER_RESTART,
} from '../core/ask.ts';
import type { RaiseAsk } from '../core/bodies.ts';
import { approvalDigest, canonical, payloadHash, questionDigest } from '../core/digest.ts';
import { enforce, fail } from '../core/errors.ts';
import { formBlock, renderPayload } from '../core/form.ts';
import { askIdOf, PLAIN_CALL } from '../core/id.ts';
import { checkPartialState } from '../core/partial-state.ts';
import type { PolicyDecision } from '../core/policy.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { checkQuestions, completeQuestions } from '../core/question.ts';
import { isTerminal, isWaiting, type Run } from '../core/run.ts';
import { checkScriptTexts } from '../core/script-text.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { noteAsksEnded } from './ask-ended.ts';
import { takeCarried } from './carried-answer.ts';
import { checkDeadline, expiryOf } from './deadline.ts';
import { noteDispatch } from './dispatch-events.ts';
import { expireNow } from './expire.ts';
import { decideApproval } from './grant.ts';
import { hold, raisedEvent } from './hold.ts';
import { reuseKeptAnswer } from './kept-answers.ts';
import { checkLease, isHostedRun } from './lease.ts';
import { type Ledger, openRun } from './ledger.ts';
import { type Key, made, mutate, ok, type Reply } from './mutate.ts';
import { checkPending, checkQuota } from './quota.ts';
import { postItem } from './thread-note.ts';
import { askView } from './views.ts';

export interface RaiseCommand {
  runId: string;
  body: RaiseAsk;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export interface RaiseOptions {
  pendingAsksPerSession: number;
}

export function raiseAsk(ports: Ports, options: RaiseOptions, command: RaiseCommand): Promise<Reply<AskView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    await checkLease(ledger, run, command);
    refuseWorkersId(run, command);
    const wanted = describe(ledger, run, command);
    const known = await knownAsk(ledger, wanted);
    if (known) {
      if (known.raisedBy === 'worker' && wanted.raisedBy === 'agent') throw fail('scope_forbidden', WORKERS_ID);
      if (known.payloadHash === wanted.payloadHash) return ok(askView(await current(ledger, run, known)));
      throw fail(
        'ask_identity_conflict',
        `Tool call "${wanted.toolCallId}" was already raised as ${known.id} with another payload. Use a new tool_call_id.`,
      );
    }
    checkDeadline(wanted.expiresAt, ledger.now);
    if (isTerminal(run.status) || run.status === 'queued')
      throw fail('run_state_conflict', `The run is ${run.status}; only a run at work can raise an ask.`);
    if (run.clarification)
      throw fail('run_state_conflict', 'This run only asks what a child wants to know; no agent works in it.');
    checkQuota(ledger);
    await checkPending(ledger, options.pendingAsksPerSession);
    // A plain MCP client is returned the answer by its tools: that it asks something else does not show that it has it.
    if (!wanted.toolCallId.startsWith(PLAIN_CALL)) await takeCarried(ledger, run);
    await displayForm(ledger, run, wanted);
    await refuseStopped(tx, run);
    const decision = await decidedAtOnce(ledger, run, wanted, command.body);
    if (decision && decision.behavior !== 'ask') return made(await raiseDecided(ledger, wanted, decision));
    if (decision?.because && wanted.kind === 'approval') wanted.content.asked_because = decision.because;
    if (await reuseKeptAnswer(ledger, run, wanted)) {
      await ledger.close();
      return made(askView((await tx.get('ask', wanted.id)) ?? wanted));
    }
    await hold(ledger, run, wanted);
    await keepState(ledger, run, wanted, command.body);
    await ledger.close();
    return made(askView(wanted));
  });
}

/** Suffixes by which a worker asks once more for a call of its agent. */
const REPEATED = /[~#]\d+$/;
const WORKERS_ID =
  'The worker that hosts this run asks under this tool_call_id. Use another one, which does not end in ~ or # and digits.';

/** A program in a hosted run must not raise what its worker would take for an ask of its own. */
function refuseWorkersId(run: Run, { actor, body }: RaiseCommand): void {
  if (actor.scope === 'agent' && isHostedRun(run) && REPEATED.test(body.tool_call_id))
    throw fail('scope_forbidden', WORKERS_ID);
}

/**
 * The ask of this tool call. One that ended with the loss of its worker does not count, because a replayed agent asks
 * again; nor, for a worker, one that a program in its run raised.
 */
async function knownAsk({ tx, ports }: Ledger, wanted: PendingAsk): Promise<Ask | undefined> {
  for (let again = 2; ; again++) {
    const known = await tx.askUnlessNew(wanted.id);
    const isLost = known?.status === 'cancelled' && known.answer.reason === WORKER_RESTART;
    const isOfProgram = wanted.raisedBy === 'worker' && known?.raisedBy === 'agent';
    if (!isLost && !isOfProgram) return known;
    wanted.id = askIdOf(wanted.runId, canonical([wanted.toolCallId, again]), ports.hash);
  }
}

/** A form or a restart stops the agent: further asks belong to the run that carries the answer. */
async function refuseStopped(tx: Tx, run: Run): Promise<void> {
  if (!isWaiting(run.status)) return;
  // No ask is raised after such an ask, so it is the newest; the others need not be read.
  const last = (await tx.pendingHeads(run.id)).at(-1);
  const asked = last?.mode === 'form' || last?.mode === 'restart' ? last : await tx.toHandOver(run.id);
  if (asked)
    throw fail(
      'run_state_conflict',
      `The run stopped when it asked ${asked.id} (${asked.mode}); only a run at work can raise an ask. The next run carries the answer on: ask there, or put all questions into one ask.`,
    );
}

/** Expires an overdue ask before it is shown again. */
async function current(ledger: Ledger, run: Run, ask: Ask): Promise<Ask> {
  if (!isOverdue(ask, ledger.now)) return ask;
  await expireNow(ledger, run, ask);
  return (await ledger.tx.get('ask', ask.id)) ?? ask;
}

function describe(ledger: Ledger, run: Run, { body, actor, leaseEpoch }: RaiseCommand): PendingAsk {
  const { hash } = ledger.ports;
  const mode: AskMode = body.mode ?? 'blocking';
  const base = {
    id: askIdOf(run.id, body.tool_call_id, hash),
    mode,
    status: 'pending' as const,
    sessionId: run.sessionId,
    runId: run.id,
    toolCallId: body.tool_call_id,
    createdAt: ledger.now,
    expiresAt: expiryOf(body, ledger.now),
    seenBy: [],
    activity: body.takes_comments === true ? { takes_comments: true as const } : {},
    raisedBy: raiserOf(actor, leaseEpoch),
  };
  const lineage = body.lineage === undefined ? {} : { lineage: body.lineage };
  if (body.kind === 'approval') {
    const content: ApprovalContent = {
      tool_name: body.tool_name,
      input: body.input,
      scope: body.scope ?? 'session',
      reason: body.reason ?? '',
      ...(body.suggestions && { suggestions: body.suggestions }),
      ...(body.diff !== undefined && { diff: body.diff }),
      ...(body.editable === false && { editable: false }),
      ...lineage,
      ...(body.work_folder !== undefined && { work_folder: body.work_folder }),
    };
    enforce(checkScriptTexts(body.files, hash));
    // The files are part of what is allowed, but not of the ask's identity: after a change it is the same ask.
    const bound = { ...content, ...(body.files && { files: body.files }) };
    const digest = approvalDigest(bound, ledger.session.workFolder, hash);
    const identity = payloadHash('approval', mode, content, hash);
    return { ...base, kind: 'approval', content: bound, digest, payloadHash: identity };
  }
  const context = body.context === undefined ? {} : { context: body.context };
  const content: QuestionContent = { questions: completeQuestions(body.questions), ...context, ...lineage };
  enforce(checkQuestions(content.questions) ?? checkPartialState(body.partial_state, mode));
  const digest = questionDigest(content, hash);
  const sent = body.partial_state === undefined ? content : [content, body.partial_state];
  return { ...base, kind: 'question', content, digest, payloadHash: payloadHash('question', mode, sent, hash) };
}

function raiserOf({ scope }: Actor, leaseEpoch: number | undefined): AskRaiser | undefined {
  if (scope === 'agent') return 'agent';
  return leaseEpoch === undefined ? undefined : 'worker';
}

/** Shows a form as a block of the thread. A subtask has one: the primary key decides between concurrent calls. */
async function displayForm(ledger: Ledger, run: Run, ask: PendingAsk): Promise<void> {
  if (ask.kind !== 'question' || ask.mode !== 'form') return;
  const { session, tx } = ledger;
  const taskId = session.taskId ?? JSON.stringify(session.id);
  const subtaskId = run.subtaskId ?? JSON.stringify(run.id);
  if (!(await tx.insert('form', { sessionId: session.id, subtaskId, askId: ask.id })))
    throw fail(
      'ask_state_conflict',
      `A form was already displayed for subtask ${subtaskId}: ${(await tx.get('form', session.id, subtaskId))?.askId}. A subtask displays one: put all questions into it, and wait for its answer.`,
    );
  ask.content.form = { task_id: JSON.parse(taskId), subtask_id: JSON.parse(subtaskId) };
  const block = formBlock(ask, renderPayload(ask.id, ask.content, ask.content.form));
  const text = ask.content.questions.map(({ question }) => question).join('\n');
  postItem(ledger, text, { type: 'tool_call', run_id: run.id, block });
}

/** Stores the partial state of a dispatch that stopped to ask: beside the ask, in no list or event. */
async function keepState(ledger: Ledger, run: Run, ask: PendingAsk, body: RaiseAsk): Promise<void> {
  if (body.kind !== 'question' || ask.mode !== 'restart') return;
  if (body.partial_state !== undefined)
    await ledger.tx.insert('partialState', { askId: ask.id, state: JSON.stringify(body.partial_state) });
  noteDispatch(ledger, run, 'dispatch.needs_input', {}, ask.id);
}

/** A question is always asked. */
const decidedAtOnce = (ledger: Ledger, run: Run, ask: PendingAsk, body: RaiseAsk) =>
  ask.kind === 'approval' && body.kind === 'approval'
    ? decideApproval(ledger, run, ask, body.project_rules)
    : undefined;

/** Stores an approval that a setting or a rule decides together with its decision: in the log, never pending. */
async function raiseDecided(ledger: Ledger, ask: PendingAsk, decided: PolicyDecision): Promise<AskView> {
  const { tx } = ledger;
  const { behavior, answeredBy: by, why } = decided;
  await tx.insert('ask', ask);
  const decision =
    behavior === 'allow'
      ? { behavior, digest: ask.digest, ...(why !== undefined && { justification: why }) }
      : { behavior, reason: why ?? by };
  const ended = endAsk(ask, 'answered', decision, { answeredBy: by, surface: 'system' }, ledger.now);
  await tx.endAsk(ended);
  raisedEvent(ledger, ask, false);
  noteAsksEnded(ledger, [ended]);
  await ledger.close();
  return askView(ended);
}
