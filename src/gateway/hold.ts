// Holds a run on a new ask: writes the row, the run's status, and the events that carry the request to every surface.
// settle.ts ends the hold.
import type { PendingAsk } from '../core/ask.ts';
import { type Hash, questionDigest } from '../core/digest.ts';
import { enforce } from '../core/errors.ts';
import { type Clarification, checkMove, heldStatus, isWaiting, type Run } from '../core/run.ts';
import type { Ledger } from './ledger.ts';
import { requestView } from './views.ts';

export async function hold(ledger: Ledger, run: Run, ask: PendingAsk): Promise<void> {
  const { tx, session, now } = ledger;
  const pending = isWaiting(run.status) ? await tx.pendingHeads(run.id) : [];
  const status = heldStatus([...pending, ask]);
  enforce(checkMove(run.status, status));
  await tx.insert('ask', ask);
  session.pendingCount += 1;
  run.status = status;
  run.updatedAt = now;
  await tx.update('run', run);
  raisedEvent(ledger, ask);
  const type = ask.kind === 'approval' ? 'waiting_for_approval' : 'waiting_for_user_question';
  ledger.note(type, { request_ids: [ask.id], requests: [requestView(ask)], mode: ask.mode }, run.id, ask.id);
}

/** What no other event says of the row is in this one: of a form whose it is, of an ask that is never held everything. */
export function raisedEvent({ ports, note }: Ledger, ask: PendingAsk, isHeld = true): void {
  const data = {
    kind: ask.kind,
    mode: ask.mode,
    tool_call_id: ask.toolCallId,
    ...(ask.kind === 'approval' && { tool_name: ask.content.tool_name }),
    payload_hash: ask.payloadHash,
    ...(ask.activity.takes_comments && { takes_comments: true }),
    ...((!isHeld || ask.mode === 'form') && { content_hash: ports.hash(JSON.stringify(ask.content)) }),
    ...(!isHeld && { digest: ask.digest, expires_at_ms: ask.expiresAt }),
  };
  note('ask.raised', data, ask.runId, ask.id);
}

/** The question of a clarification, created when its run gets the slot or ends before. */
export function clarificationAsk(run: Run, wanted: Clarification, hash: Hash, createdAt: number): PendingAsk {
  const content = { questions: wanted.questions, lineage: [wanted.requesterAgentId] };
  return {
    id: wanted.requestId,
    kind: 'question',
    mode: 'blocking',
    status: 'pending',
    content,
    sessionId: run.sessionId,
    runId: run.id,
    toolCallId: wanted.requesterToolCallId,
    digest: questionDigest(content, hash),
    payloadHash: wanted.payloadHash,
    createdAt,
    expiresAt: wanted.expiresAt,
    seenBy: [],
    activity: {},
    raisedBy: undefined,
  };
}
