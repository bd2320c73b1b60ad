// Decides approvals: a batch per run, all or nothing. Pending approvals that the batch leaves out stay pending.
import { type ApprovalResolution, DEFAULT_DENIAL } from '../core/answer.ts';
import { type ApprovalAsk, authorOf, decide, type EndedAsk, endAsk, isOverdue, lateRefusal } from '../core/ask.ts';
import { approvalDigest, canonical } from '../core/digest.ts';
import { fail, HoldpointError, type Refusal } from '../core/errors.ts';
import type { Grant } from '../core/grant.ts';
import type { Ports, Tx } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { RunView, SessionView } from '../core/views.ts';
import { expireNow } from './expire.ts';
import { giveGrant, grantFor } from './grant.ts';
import { type Ledger, openRun, openSession } from './ledger.ts';
import { type Key, mutate, ok, type Refused, type Reply } from './mutate.ts';
import { approvalOf, runOfRequest } from './records.ts';
import { settle } from './settle.ts';
import { runReply, sessionView } from './views.ts';

type PendingApproval = Extract<ApprovalAsk, { status: 'pending' }>;

/** A person, or a delegate of the server's rules. */
type Decider = Pick<Actor, 'name' | 'person' | 'surface'> & Partial<Pick<Actor, 'tokenId'>>;

export interface Command {
  resolutions: readonly ApprovalResolution[];
  actor: Decider;
  key?: Key | undefined;
}

export function approveForRun(ports: Ports, command: Command & { runId: string }): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    return runReply(ledger, await approve(ledger, run, command));
  });
}

/** The detached variant for a session: the RunView instead of the SessionView. */
export function approveForSessionRun(ports: Ports, command: Command & { sessionId: string }): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openSession(ports, tx, command.sessionId);
    return runReply(ledger, await approve(ledger, await waitingRun(tx, ledger, command), command));
  });
}

export function approveForSession(ports: Ports, command: Command & { sessionId: string }): Promise<Reply<SessionView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openSession(ports, tx, command.sessionId);
    const result = await approve(ledger, await waitingRun(tx, ledger, command), command);
    if ('refused' in result) return result;
    await ledger.close();
    return ok(await sessionView(tx, ledger.session));
  });
}

async function waitingRun(tx: Tx, ledger: Ledger, command: Command): Promise<Run> {
  const [first] = command.resolutions;
  const run = first ? await runOfRequest(tx, ledger.session, first.request_id) : undefined;
  if (run) return run;
  if (!first) throw emptyBatch();
  throw fail('approval_state_conflict', 'This session is not waiting for an approval.');
}

/** In a transaction that the caller closes; an expired ask is closed here. */
export async function approve(ledger: Ledger, run: Run, { resolutions, actor }: Command): Promise<Run | Refused> {
  if (resolutions.length === 0) throw emptyBatch();
  const ids = resolutions.map((r) => r.request_id);
  const repeated = ids.find((id, i) => ids.indexOf(id) !== i);
  if (repeated !== undefined)
    throw fail('approval_duplicate_resolution', `"${repeated}" is resolved more than once in this batch.`);
  const asks: [ApprovalResolution, ApprovalAsk][] = [];
  for (const resolution of resolutions)
    asks.push([resolution, await approvalOf(ledger.tx, run, resolution.request_id)]);
  const ended: EndedAsk[] = [];
  const grants: Grant[] = [];
  for (const [resolution, ask] of asks) {
    const mac = ledger.ports.sealer.mac(decisionText(resolution));
    if (isOverdue(ask, ledger.now)) {
      const { refused } = await expireNow(ledger, run, ask);
      return { refused: named(refused, ask.id, asks.length) };
    }
    if (ask.status === 'pending') {
      const grant = await grantWith(ledger, ask, resolution, actor);
      if (grant) grants.push(grant);
      ended.push(decided(ledger, ask, resolution, actor, mac, grant));
    } else if (decide(ask, 'answer', ledger.now) !== 'compare' || ask.answerMac !== mac)
      throw new HoldpointError(named(lateRefusal(ask, false), ask.id, asks.length));
  }
  if (ended.length === 0) return run;
  for (const ask of ended)
    if (!(await ledger.tx.endAsk(ask)))
      throw fail('approval_state_conflict', 'Another decision was made at the same moment.');
  for (const grant of grants) await giveGrant(ledger, grant, run.id);
  return settle(ledger, run, ended);
}

/** What is allowed from now on is what was shown, so it goes with the input as it was asked. */
async function grantWith(ledger: Ledger, ask: PendingApproval, resolution: ApprovalResolution, actor: Decider) {
  const { always, behavior, updated_input } = resolution;
  if (!always) return undefined;
  if (behavior === 'deny' || updated_input !== undefined)
    throw fail('grant_refused', `"${ask.id}": always goes with allow, and not with updated_input.`);
  return grantFor(ledger, ask, always, actor);
}

/** Names the approval that rejects a batch of several. */
function named(refusal: Refusal, askId: string, batchSize: number): Refusal {
  if (batchSize === 1) return refusal;
  return { ...refusal, detail: `Nothing in this batch was decided because of "${askId}". ${refusal.detail}` };
}

const emptyBatch = () => fail('approval_batch_empty', 'Send at least one resolution.');

function decided(
  ledger: Ledger,
  ask: PendingApproval,
  resolution: ApprovalResolution,
  actor: Decider,
  mac: string,
  grant: Grant | undefined,
): EndedAsk {
  const { behavior, updated_input, justification, reason } = resolution;
  const suggestions = [...new Set(resolution.suggestion_ids)].sort();
  if (behavior === 'deny' && updated_input !== undefined)
    throw fail('invalid_request', `"${ask.id}": updated_input goes with allow; a denied action has no input.`);
  if (updated_input !== undefined && ask.content.editable === false)
    throw fail(
      'approval_not_editable',
      `"${ask.id}": its caller cannot accept a changed input. Allow it as it is, or deny it with a reason.`,
    );
  checkSuggestions(ask, behavior, suggestions);
  const content = updated_input ? { ...ask.content, input: updated_input } : ask.content;
  const decision = {
    behavior,
    ...(justification !== undefined && { justification }),
    ...(behavior === 'allow' && { digest: approvalDigest(content, ledger.session.workFolder, ledger.ports.hash) }),
    ...(behavior === 'allow' && updated_input && { updated_input }),
    ...(suggestions.length > 0 && { suggestion_ids: suggestions }),
    ...(grant && { grant_id: grant.id }),
    ...(behavior === 'deny' && { reason: reason ?? DEFAULT_DENIAL }),
    ...(behavior === 'allow' && reason !== undefined && { reason }),
  };
  return endAsk(ask, 'answered', decision, authorOf(actor), ledger.now, { answerMac: mac });
}

/** Only suggestions of the ask can be taken. */
function checkSuggestions(ask: PendingApproval, behavior: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  if (behavior === 'deny')
    throw fail('invalid_request', `"${ask.id}": suggestion_ids go with allow; a denied action allows nothing else.`);
  const known = (ask.content.suggestions ?? []).map(suggestionId);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const offered = known.filter((id) => id !== undefined).join(', ') || 'none';
  throw fail('approval_suggestion_not_found', `"${ask.id}" has no suggestion "${unknown}". It has: ${offered}.`);
}

const suggestionId = (suggestion: unknown): string | undefined => {
  const { id } = Object(suggestion) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
};

function decisionText(r: ApprovalResolution): string {
  const said = [r.request_id, r.behavior, r.updated_input ?? null, r.justification ?? null, r.reason ?? null];
  const suggestions = r.suggestion_ids?.length ? [[...new Set(r.suggestion_ids)].sort()] : [];
  return canonical([...said, ...suggestions, ...(r.always ? [{ always: r.always }] : [])]);
}
