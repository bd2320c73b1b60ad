// Manages the one active slot of a session: queues runs and starts the next. An ended run frees the slot in finish.ts.
import type { Hash } from '../core/digest.ts';
import { enforce } from '../core/errors.ts';
import { checkMove, previewOf, type Run } from '../core/run.ts';
import { countBytes, EXTERNAL_AGENT, type Session } from '../core/session.ts';
import type { ThreadItem } from '../core/thread.ts';
import { takeCarried } from './carried-answer.ts';
import { noteDispatch } from './dispatch-events.ts';
import { clarificationAsk, hold } from './hold.ts';
import type { Ledger } from './ledger.ts';

export type NewRun = Pick<Run, 'kind' | 'input' | 'source' | 'actor'> &
  Partial<
    Pick<Run, 'id' | 'resumesRunId' | 'carriesAskId' | 'subtaskId' | 'textPreview' | 'clarification' | 'queueOrder'>
  >;

/** A text that begins the run and is in no post: the thread shows it where the run was accepted. */
export interface Opening {
  text?: string;
  role?: ThreadItem['role'];
}

/** Puts a run at the end of the queue (or at the place it inherits) and starts it if the slot is free. */
export async function enqueue(ledger: Ledger, wanted: NewRun, opening: Opening = {}): Promise<Run> {
  const { session, ports, now } = ledger;
  session.runCount += 1;
  session.queuedCount += 1;
  const run = newRun(session, now, { id: ports.ids.next('run'), ...wanted });
  await ledger.tx.insert('run', run);
  countBytes(session, JSON.stringify(run.input).length, now);
  ledger.note('accepted', { ...acceptedData(run, ports.hash, opening), ...opening }, run.id);
  noteDispatch(ledger, run, 'dispatch.accepted', run.resumesRunId === undefined ? {} : { resumes: run.resumesRunId });
  if (session.activeRunId !== undefined || session.queuedCount > 1)
    ledger.note('queued', { position: await placeOf(ledger, run) }, run.id);
  await fillSlot(ledger);
  return (await ledger.tx.get('run', run.id)) ?? run;
}

/** Everything that the row of a new run says, so that the log determines it; large texts by their hash. */
function acceptedData(run: Run, hash: Hash, { text }: Opening): Record<string, unknown> {
  const { clarification, textPreview } = run;
  return {
    kind: run.kind,
    source: run.source,
    actor_id: run.actor,
    input_hash: hash(JSON.stringify(run.input)),
    ...(textPreview !== previewOf(text) && { text_preview: textPreview }),
    resumes_run_id: run.resumesRunId,
    carries_ask_id: run.carriesAskId,
    subtask_id: run.subtaskId,
    ...(clarification && {
      clarification_hash: hash(JSON.stringify(clarification)),
      request_id: clarification.requestId,
      expires_at_ms: clarification.expiresAt,
    }),
  };
}

export const newRun = (session: Session, now: number, wanted: NewRun & { id: string }): Run => ({
  sessionId: session.id,
  agent: session.agent,
  labels: session.labels,
  status: 'queued',
  textPreview: previewOf(wanted.input.text ?? commandOf(wanted.input)),
  submittedAt: now,
  updatedAt: now,
  startedAt: undefined,
  finishedAt: undefined,
  error: undefined,
  outcome: undefined,
  resumesRunId: undefined,
  carriesAskId: undefined,
  subtaskId: undefined,
  clarification: undefined,
  queueOrder: session.runCount,
  outputCount: 0,
  lease: undefined,
  leaseEpoch: 0,
  leaseHolder: undefined,
  recovery: 'none',
  permissions: undefined,
  ...wanted,
});

/** 1-based. Last, unless the run inherited a place. */
async function placeOf({ tx, session }: Ledger, run: Run): Promise<number> {
  if (run.queueOrder === session.runCount) return session.queuedCount;
  return (await tx.queuedRunIds(session.id)).indexOf(run.id) + 1;
}

/** The command line of a dispatch, for lists. */
const commandOf = ({ command }: Record<string, unknown>): unknown =>
  Array.isArray(command) ? command.join(' ') : undefined;

/** Gives a free slot to the next run that can take it by itself; a run for a worker waits until one claims it. */
export async function fillSlot(ledger: Ledger): Promise<void> {
  const { session, tx } = ledger;
  if (session.activeRunId !== undefined || session.queuedCount === 0 || session.status === 'ended') return;
  const [nextId] = await tx.queuedRunIds(session.id);
  const next = nextId === undefined ? undefined : await tx.get('run', nextId);
  if (!next) return;
  if (next.clarification) {
    await begin(ledger, next);
    await hold(ledger, next, clarificationAsk(next, next.clarification, ledger.ports.hash, ledger.now));
    return;
  }
  if (session.agent === EXTERNAL_AGENT) await begin(ledger, next);
}

/** queued → running, with the slot. A worker that claimed the run also has the answer that it carries. */
export async function begin(ledger: Ledger, run: Run): Promise<void> {
  const { session, tx, now } = ledger;
  enforce(checkMove(run.status, 'running'));
  run.status = 'running';
  run.startedAt ??= now;
  run.updatedAt = now;
  session.activeRunId = run.id;
  session.queuedCount -= 1;
  await tx.update('run', run);
  ledger.note('started', {}, run.id);
  noteDispatch(ledger, run, 'dispatch.started');
  if (run.agent !== EXTERNAL_AGENT) await takeCarried(ledger, run);
}
