// Creates or reuses a session, and ends it.
import type { CreateSession } from '../core/bodies.ts';
import { canonical } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import { FIRST_PREV_HASH } from '../core/event.ts';
import { inOrder, labelKey } from '../core/label.ts';
import type { Ports } from '../core/ports.ts';
import type { Session } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { SessionView } from '../core/views.ts';
import { stopRun } from './cancel.ts';
import { isBound, notLeased, type Sender } from './lease.ts';
import { type Ledger, ledgerOf, openForWork, openSession } from './ledger.ts';
import { deadenMail } from './mailbox.ts';
import { type Key, made, mutate, ok, type Reply } from './mutate.ts';
import { activeRun } from './records.ts';
import { sessionView } from './views.ts';
import { checkWorkerEnds, sessionForWorker } from './worker-rights.ts';

export function createSession(
  ports: Ports,
  wanted: CreateSession,
  key?: Key,
  sender: Sender = {},
): Promise<Reply<SessionView>> {
  return mutate(ports, key, async (tx) => {
    const body = await sessionForWorker(ports, tx, wanted, sender);
    const known = body.session_id === undefined ? undefined : await tx.lockSession(body.session_id);
    if (known) {
      const conflict = differenceOf(known, body);
      if (conflict) throw fail('session_conflict', `Session "${known.id}" exists with another ${conflict}.`);
      const isOther = await isBound({ tx, now: ports.clock.now() }, known, sender);
      if (body.parent_session_id === undefined && isOther) throw notLeased(known, sender);
      return ok(await sessionView(tx, known));
    }
    const parent = body.parent_session_id === undefined ? undefined : await tx.get('session', body.parent_session_id);
    if (body.parent_session_id !== undefined && !parent)
      throw fail('session_not_found', `There is no parent session "${body.parent_session_id}".`);
    if (parent && parent.permissions !== 'autonomous' && body.permissions === 'autonomous')
      throw fail('session_conflict', `The parent session "${parent.id}" asks for approvals; its children do too.`);
    const now = ports.clock.now();
    const permissions = body.permissions ?? parent?.permissions;
    const inherited = parent?.rules ?? [];
    const rules = body.rules || parent?.rules ? [...inherited, ...(body.rules ?? [])] : undefined;
    const session = newSession(body.session_id ?? ports.ids.next('ses'), { ...body, permissions, rules }, now);
    session.madeBy = sender.actor?.tokenId;
    await tx.insert('session', session);
    const ledger = ledgerOf(ports, tx, session, now);
    noteCreated(ledger);
    await ledger.close();
    return made(await sessionView(tx, session));
  });
}

/** Everything that the row of a new session says, so that the log determines it. */
export function noteCreated({ session, note }: Ledger): void {
  note('session.created', {
    agent: session.agent,
    agent_id: session.agentId,
    title: session.title,
    work_folder: session.workFolder,
    project_ids: session.projectIds,
    channel_ids: session.channelIds,
    labels: session.labels,
    parent_session_id: session.parentSessionId,
    permissions: session.permissions,
    rules: session.rules,
    task_id: session.taskId,
    made_by: session.madeBy,
  });
}

export function newSession(id: string, body: Omit<CreateSession, 'session_id'>, now: number): Session {
  return {
    id,
    agent: body.agent,
    agentId: body.agent_id ?? `${body.agent}-${id}`,
    title: body.title,
    workFolder: body.work_folder,
    projectIds: body.project_ids ?? [],
    channelIds: body.channel_ids ?? [],
    labels: inOrder(body.labels ?? []),
    parentSessionId: body.parent_session_id,
    permissions: body.permissions,
    rules: body.rules,
    taskId: body.task_id === undefined ? undefined : JSON.stringify(body.task_id),
    madeBy: undefined,
    status: 'active',
    createdAt: now,
    updatedAt: now,
    endedAt: undefined,
    activeRunId: undefined,
    queuedCount: 0,
    pendingCount: 0,
    keptCount: 0,
    runCount: 0,
    lastMessage: undefined,
    headSeq: 0,
    headHash: FIRST_PREV_HASH,
    bytesDay: 0,
    bytesStored: 0,
    headMac: undefined,
  };
}

/** Reusing a session never changes it: the request must match the stored session. */
function differenceOf(session: Session, body: CreateSession): string | undefined {
  const wanted = newSession(session.id, body, session.createdAt);
  if (wanted.agent !== session.agent) return 'agent';
  if (body.agent_id !== undefined && wanted.agentId !== session.agentId) return 'agent_id';
  if (body.work_folder !== undefined && wanted.workFolder !== session.workFolder) return 'work_folder';
  if (body.labels !== undefined && labelKey(wanted.labels) !== labelKey(session.labels)) return 'labels';
  // Those of its parent come before its own.
  const own = session.parentSessionId === undefined ? session.rules : session.rules?.slice(-(body.rules?.length ?? 0));
  if (body.rules !== undefined && canonical(own ?? []) !== canonical(body.rules)) return 'rules';
  if (body.permissions !== undefined && wanted.permissions !== session.permissions) return 'permissions';
  if (body.parent_session_id !== undefined && wanted.parentSessionId !== session.parentSessionId)
    return 'parent_session_id';
  return undefined;
}

export interface EndCommand {
  sessionId: string;
  reason?: string | undefined;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

/** Takes the parent's lock before its own: the lock order of every caller that needs both. */
export function endSession(ports: Ports, command: EndCommand): Promise<Reply<SessionView>> {
  return mutate(ports, command.key, async (tx) => {
    const parentId = (await tx.get('session', command.sessionId))?.parentSessionId;
    const parent = parentId === undefined ? undefined : await openSession(ports, tx, parentId);
    const ledger = await openForWork(ports, tx, command.sessionId);
    const { session } = ledger;
    await checkWorkerEnds(ledger, command);
    if (session.status === 'ended') return ok(await sessionView(tx, session));
    const reason = command.reason ?? 'the session was ended';
    session.status = 'ended';
    session.endedAt = ledger.now;
    for (const run of await tx.queuedRuns(session.id)) await stopRun(ledger, run, 'cancelled', command.actor, reason);
    const active = await activeRun(tx, session);
    if (active) await stopRun(ledger, active, 'interrupted', command.actor, reason);
    if (parent) await deadenMail(ledger, parent);
    ledger.note('session.ended', { reason });
    await ledger.close();
    return ok(await sessionView(tx, session));
  });
}
