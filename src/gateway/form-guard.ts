// Guards every input of a session: while a form waits, only its answer or its cancellation is accepted, so that no other
// message is taken for the form's result. Call it under the session's lock.
import { isOverdue, type PendingAsk } from '../core/ask.ts';
import { HoldpointError } from '../core/errors.ts';
import { expireOne } from './expire.ts';
import type { Ledger } from './ledger.ts';

type PendingForm = Extract<PendingAsk, { kind: 'question' }>;

/** The form the session waits for. Only the run that has the slot can be held on one. */
export async function pendingForm({ session, tx }: Ledger): Promise<PendingForm | undefined> {
  if (session.pendingCount === 0 || session.activeRunId === undefined) return undefined;
  const form = (await tx.pendingHeads(session.activeRunId)).find(({ mode }) => mode === 'form');
  return form && ((await tx.get('ask', form.id)) as PendingForm | undefined);
}

/** Call before anything is posted to a session that is not the answer to its form. */
export async function refuseWhileForm(ledger: Ledger): Promise<void> {
  const form = await pendingForm(ledger);
  const run = form && (await ledger.tx.get('run', form.runId));
  if (!form || !run) return;
  if (isOverdue(form, ledger.now)) {
    await expireOne(ledger, run, form);
    return;
  }
  const { id: ask_id, toolCallId: tool_use_id } = form;
  throw new HoldpointError({
    code: 'pending_interactive_form',
    detail: `This session waits for the answer to a form. Submit or cancel it in the web inbox, with \`holdpoint questions answer ${ask_id}\`, or with POST /v1/sessions/${ledger.session.id}/messages {"interactive_form_answer": …} for tool_use_id "${tool_use_id}"; then send this again.`,
    more: { ask_id, tool_use_id },
  });
}
