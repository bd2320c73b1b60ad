// Lets a child run ask its parent session. The question becomes a run of its own in the parent; its end is mailed to the
// child, noted in the parent's thread and log, and completes that run: all in the transaction that ends the ask, so that
// no step can be missing after a crash and none can happen twice.
import { summarise } from '../core/answer.ts';
import type { EndedAsk } from '../core/ask.ts';
import type { Clarify } from '../core/bodies.ts';
import { payloadHash } from '../core/digest.ts';
import { enforce, fail } from '../core/errors.ts';
import { askIdOf } from '../core/id.ts';
import type { Ports } from '../core/ports.ts';
import { checkQuestions, completeQuestions } from '../core/question.ts';
import { isTerminal, type Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { ClarificationView } from '../core/views.ts';
import { checkDeadline, expiryOf } from './deadline.ts';
import { finish } from './finish.ts';
import { checkLease } from './lease.ts';
import { type Ledger, openSession } from './ledger.ts';
import { type Key, made, mutate, ok, type Reply } from './mutate.ts';
import { notifyChild, resolvedEvent } from './notify-child.ts';
import { checkQueue, checkQuota } from './quota.ts';
import { enqueue } from './slot.ts';
import { postNote } from './thread-note.ts';

export interface ClarifyCommand {
  runId: string;
  body: Clarify;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function clarify(ports: Ports, command: ClarifyCommand): Promise<Reply<ClarificationView>> {
  return mutate(ports, command.key, async (tx) => {
    // Locked as well: the child must not end before its question is stored.
    const found = await tx.lockRun(command.runId);
    if (!found) throw fail('run_not_found', `There is no run "${command.runId}".`);
    const { session: childSession, value: child } = found;
    await checkLease({ tx, now: ports.clock.now(), session: childSession }, child, command);
    const parentId = childSession.parentSessionId;
    if (parentId === undefined)
      throw fail(
        'no_parent_session',
        `Session ${childSession.id} has no parent. Ask a person with POST /v1/runs/{id}/asks.`,
      );
    const ledger = await openSession(ports, tx, parentId);
    const questions = completeQuestions(command.body.questions);
    enforce(checkQuestions(questions));
    // The answer travels by mail, in the clear, and is first read in another session than the one that asked.
    if (questions.some((q) => q.secret))
      throw fail('invalid_ask', 'A clarification cannot ask for a secret. Ask a person with POST /v1/runs/{id}/asks.');
    const requestId = askIdOf(`${child.id}_parent`, command.body.tool_call_id, ports.hash);
    const hash = payloadHash('question', 'clarification', questions, ports.hash);
    const known = await tx.clarificationRun(requestId);
    if (known) {
      if (known.clarification?.payloadHash === hash) return ok(viewOf(known, requestId));
      throw fail(
        'ask_identity_conflict',
        `Tool call "${command.body.tool_call_id}" already asked the parent something else.`,
      );
    }
    checkQuota(ledger);
    checkQueue(ledger, command.actor);
    const expiresAt = expiryOf(command.body, ledger.now);
    checkDeadline(expiresAt, ledger.now);
    if (isTerminal(child.status)) throw fail('run_state_conflict', `The run is ${child.status}; it can no longer ask.`);
    if (ledger.session.status === 'ended') throw fail('session_ended', `The parent session ${parentId} has ended.`);
    const run = await enqueue(ledger, {
      kind: 'parent_clarification',
      input: { text: questions[0]?.question ?? '' },
      source: 'clarification',
      actor: command.actor.name,
      clarification: {
        requestId,
        requesterAgentId: childSession.agentId,
        requesterSessionId: childSession.id,
        requesterRunId: child.id,
        requesterToolCallId: command.body.tool_call_id,
        requesterProjectIds: childSession.projectIds,
        requesterChannelIds: childSession.channelIds,
        parentProjectIds: ledger.session.projectIds,
        parentChannelIds: ledger.session.channelIds,
        questions,
        payloadHash: hash,
        expiresAt,
      },
    });
    await ledger.close();
    return made(viewOf(run, requestId));
  });
}

const viewOf = (run: Run, requestId: string): ClarificationView => ({
  run_id: run.id,
  request_id: requestId,
  parent_session_id: run.sessionId,
});

/** Called with the ended ask of a clarification. Anything but an answer reaches the child as a declined clarification. */
export async function resolveClarification(ledger: Ledger, run: Run, ask: EndedAsk): Promise<Run> {
  const wanted = run.clarification;
  if (!wanted || ask.kind !== 'question') return run;
  await notifyChild(ledger, wanted, ask.answer);
  const answered = ask.status === 'answered';
  const summary = answered
    ? summarise(wanted.questions, ask.answer.answers ?? [])
    : (ask.answer.justification ?? ask.status);
  postNote(ledger, `Clarification ${answered ? 'answered' : ask.status}: ${summary}`, {
    run_id: run.id,
    ask_id: ask.id,
  });
  resolvedEvent(ledger, wanted, ask);
  const author = { answeredBy: ask.answer.answered_by, surface: ask.answer.surface };
  return finish(ledger, run, 'completed', { author, handover: true });
}
