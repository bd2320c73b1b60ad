// Decides what a worker token may do beside its leased runs: create and start children of the leased session, report to its
// parent, serve the attached agents of its machine, and act on the asks of the leased session. Everything else that starts
// work is for people: a worker that could start a command anywhere would be the operator.
import type { Ask } from '../core/ask.ts';
import type { CreateSession, StartRun } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import { inOrder, labelKey } from '../core/label.ts';
import type { Ports, Reader } from '../core/ports.ts';
import { isAttached, type Session } from '../core/session.ts';
import { type At, checkEpoch, holderOf, holds, isBound, notLeased, type Sender } from './lease.ts';
import type { Ledger } from './ledger.ts';
import { activeRun } from './records.ts';

/** What the session is created with: a child has the labels, folder and permissions of its parent, and no others. */
export async function sessionForWorker(
  ports: Ports,
  r: Reader,
  body: CreateSession,
  sender: Sender,
): Promise<CreateSession> {
  if (sender.actor?.scope !== 'worker') return body;
  if (body.rules !== undefined)
    throw fail('scope_forbidden', 'A worker token gives no rules to a session. Use an operator token.');
  const { agent, labels = [], parent_session_id } = body;
  if (parent_session_id === undefined) {
    if (body.permissions === 'autonomous')
      throw fail(
        'scope_forbidden',
        'A worker token opens no session in which nothing is asked. Use an operator token.',
      );
    if (isAttached({ agent, labels })) return body;
    throw fail(
      'scope_forbidden',
      'A worker token creates sessions only as children of the session whose run it has claimed. Name that session as parent_session_id, or use an operator token.',
    );
  }
  const parent = await r.get('session', parent_session_id);
  if (!parent) throw fail('session_not_found', `There is no parent session "${parent_session_id}".`);
  if (!holds(await activeRun(r, parent), sender)) throw notLeased(parent, sender);
  if (ports.isDispatchAgent(agent)) throw fail('scope_forbidden', noCommands(agent));
  const wider = widerThan(parent, body);
  if (wider) throw fail('scope_forbidden', `A child that a worker creates has the ${wider} of session ${parent.id}.`);
  return { ...body, labels: parent.labels, work_folder: parent.workFolder };
}

function widerThan(parent: Session, { labels, work_folder }: CreateSession): string | undefined {
  if (labels !== undefined && labelKey(inOrder(labels)) !== labelKey(parent.labels)) return 'labels';
  if (work_folder !== undefined && work_folder !== parent.workFolder) return 'work_folder';
  return undefined;
}

/** A worker starts runs in a child of a leased session, and in its parent, to report. Settings are chosen by people. */
export async function checkWorkerStarts(ledger: Ledger, body: StartRun, sender: Sender): Promise<void> {
  const { session, tx, ports } = ledger;
  if (!(await isBound(ledger, session, sender))) return;
  if (!(await isRelative(tx, session, sender))) throw notLeased(session, sender);
  if (ports.isDispatchAgent(session.agent)) throw fail('scope_forbidden', noCommands(session.agent));
  const chosen = Object.keys(body.input).filter((name) => name !== 'text');
  if (chosen.length > 0 && ports.takesSettings(session.agent))
    throw fail(
      'scope_forbidden',
      `A worker starts a run of "${session.agent}" with a text only; people choose ${chosen.join(', ')}.`,
    );
}

const noCommands = (agent: string): string =>
  `A worker token starts no run of agent "${agent}", which runs any command. Use an operator token.`;

async function isRelative(r: Reader, session: Session, sender: Sender): Promise<boolean> {
  const { parentSessionId } = session;
  const parent = parentSessionId === undefined ? undefined : await r.get('session', parentSessionId);
  if (parent && holds(await activeRun(r, parent), sender)) return true;
  const { actor, leaseEpoch } = sender;
  if (!actor || leaseEpoch === undefined) return false;
  return (await r.leasedChild(session.id, holderOf(leaseEpoch, actor))) !== undefined;
}

/** For the mail of a session. */
export async function checkSessionLease(at: At, sessionId: string, sender: Sender): Promise<void> {
  const session = await at.tx.get('session', sessionId);
  if (!session || !(await isBound(at, session, sender)) || holds(await activeRun(at.tx, session), sender)) return;
  throw notLeased(session, sender);
}

/** A worker ends attached conversations, and children of a session whose run it holds. */
export async function checkWorkerEnds({ session, ...at }: Ledger, sender: Sender): Promise<void> {
  if ((await isBound(at, session, sender)) && !(await isRelative(at.tx, session, sender)))
    throw notLeased(session, sender);
}

/** Whether the caller is the side that asked: the agent itself, or the worker that holds a lease in its session. */
export async function isAskingSide(at: At, ask: Ask, sender: Sender): Promise<boolean> {
  const { actor } = sender;
  if (actor?.scope !== 'worker') return actor?.scope === 'agent';
  const session = await at.tx.get('session', ask.sessionId);
  if (!session) return false;
  const isServed =
    !(await isBound(at, session, sender)) && (actor.isBuiltIn || !(await isMadeByPerson(at.tx, session)));
  return isServed || (await holdsRunOf(at.tx, session, ask, sender));
}

/** A program of a person, such as an editor's proxy, asks there itself: a worker only ends what it left behind. */
async function isMadeByPerson(r: Reader, { madeBy }: Session): Promise<boolean> {
  return madeBy !== undefined && (await r.get('token', madeBy))?.scope === 'operator';
}

/** The run that asked, the one that carries the answer, or the one that its session works on now. */
async function holdsRunOf(r: Reader, session: Session, ask: Ask, sender: Sender): Promise<boolean> {
  if (holds(await activeRun(r, session), sender) || holds(await r.get('run', ask.runId), sender)) return true;
  return holds(await r.carryingRun(ask.id), sender);
}

/** For every verb that settles an ask from the agent's side. */
export async function checkAskLease(ledger: Ledger, ask: Ask, sender: Sender): Promise<void> {
  const { tx, session } = ledger;
  if (sender.actor?.scope === 'agent' && ask.raisedBy === 'worker')
    throw fail('scope_forbidden', 'The worker that hosts this run raised this ask; it alone settles it.');
  const bound = await isBound(ledger, session, sender);
  if (bound && (await holdsRunOf(tx, session, ask, sender))) return;
  if (sender.leaseEpoch !== undefined) {
    const run = (await tx.carryingRun(ask.id)) ?? (await tx.get('run', ask.runId));
    if (run) checkEpoch(run, sender.leaseEpoch);
  }
  if (bound) throw notLeased(session, sender);
}

/** The labels of the work that a worker may claim: those it names, within those of its token. */
export function claimedLabels(labels: readonly string[] | undefined, { actor }: Sender): readonly string[] {
  const bound = actor?.scope === 'worker' ? actor.labels : undefined;
  if (bound === undefined) return labels ?? [];
  if (labels === undefined) return bound;
  const isCovered =
    bound.length === 0 ? labels.length === 0 : labels.length > 0 && labels.every((l) => bound.includes(l));
  if (isCovered) return labels;
  const own = bound.length === 0 ? 'no labels' : `the labels ${bound.join(', ')}`;
  throw fail(
    'scope_forbidden',
    `This worker token is for work with ${own}; it cannot claim work with ${labels.join(', ') || 'none'}. Create another: holdpoint tokens create --scope worker${labels.map((l) => ` --label ${l}`).join('')}`,
  );
}
