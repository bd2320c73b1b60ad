// Consults the delegate of an approval after its commit. The approval is pending meanwhile: a person may be faster, and a
// delegate that fails or is interrupted has not answered. What it decides is an answer in its name; that it left the decision
// to a person, or failed, is in the log too.
import type { ConsultDelegate, Verdict } from '../core/delegate.ts';
import { HoldpointError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { ApprovalAskView, AskView } from '../core/views.ts';
import { approve } from './approve.ts';
import { openRun, openSession } from './ledger.ts';
import { mutate } from './mutate.ts';
import { runReply } from './views.ts';

/** One consultation for each approval, however often its request is repeated. */
export function createConsultation(ports: Ports, consult: ConsultDelegate | undefined) {
  const open = new Map<string, Promise<void>>();
  return (view: AskView): Promise<void> | undefined => {
    if (!consult || view.kind !== 'approval' || view.status !== 'pending') return undefined;
    const to = view.request.asked_because?.delegate_to;
    if (to === undefined) return undefined;
    const begun = open.get(view.ask_id);
    if (begun) return begun;
    const done = consulted(ports, view, to, consult).finally(() => open.delete(view.ask_id));
    open.set(view.ask_id, done);
    return done;
  };
}

async function consulted(ports: Ports, view: ApprovalAskView, to: string, consult: ConsultDelegate): Promise<void> {
  const session = await ports.store.reader.get('session', view.session_id);
  const { tool_name, input, work_folder = session?.workFolder } = view.request;
  const { session_id, ask_id: request_id } = view;
  const call = { to, agent: session?.agent ?? '', session_id, request_id, tool_name, input, work_folder };
  const verdict = await Promise.resolve(consult(call)).catch(failed);
  if (verdict.decision === 'ask') await noteAsked(ports, view, to, verdict);
  else await decide(ports, view, to, verdict);
}

/** Nothing changes but the log. */
async function noteAsked(ports: Ports, view: ApprovalAskView, to: string, verdict: Verdict): Promise<void> {
  const { reason, hasFailed = false } = verdict;
  await ports.store.write(async (tx) => {
    const ledger = await openSession(ports, tx, view.session_id);
    const why = view.request.asked_because?.why;
    ledger.note(
      'rule.delegated',
      { to, decision: 'ask', reason, has_failed: hasFailed, why },
      view.run_id,
      view.ask_id,
    );
    await ledger.close();
  });
}

const failed = (error: Error): Verdict => ({ decision: 'ask', reason: error.message, hasFailed: true });

/** Refused when someone else has decided meanwhile. */
async function decide(ports: Ports, view: ApprovalAskView, to: string, { decision, reason }: Verdict): Promise<void> {
  const justification = `${view.request.asked_because?.why}: ${reason}`;
  const decided = decision === 'allow' ? { behavior: 'allow' as const } : { behavior: 'deny' as const, reason };
  const resolutions = [{ request_id: view.ask_id, ...decided, justification }];
  const actor = { name: `delegate:${to}`, person: '', surface: 'system' as const };
  try {
    await mutate(ports, undefined, async (tx) => {
      const { ledger, run } = await openRun(ports, tx, view.run_id);
      return runReply(ledger, await approve(ledger, run, { resolutions, actor }));
    });
  } catch (error) {
    if (!(error instanceof HoldpointError)) throw error;
  }
}
