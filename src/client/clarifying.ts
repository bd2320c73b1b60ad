// Asks the parent session from a child run. The answer arrives as mail, not in the tool call: waits for it, reads it,
// and acknowledges the mail. Any end but an answer is a declined clarification.
import type { z } from 'zod';
import type { Clarify } from '../core/bodies.ts';
import type { AskView, MessageView } from '../core/views.ts';
import { type Calls, listAll } from './client.ts';
import { HoldpointProblem, sleep } from './http.ts';
import { type AskOutcome, hasEnded, questionOutcome } from './outcome.ts';
import type { Waits } from './waits.ts';

export interface Clarifying {
  calls: Pick<Calls, 'asks' | 'mailbox'>;
  waits: Waits;
  runId: string;
  /** The child's own session, where the mail arrives. */
  sessionId: string;
  signal?: AbortSignal | undefined;
}

const LOOK_EVERY_MS = 1000;

export async function askParent(child: Clarifying, body: z.input<typeof Clarify>): Promise<AskOutcome> {
  const { calls, waits, runId, signal } = child;
  const raising = waits.raising(runId);
  let end: Promise<AskOutcome>;
  let requestId: string;
  try {
    requestId = (await calls.asks.clarify(runId, body, { signal })).request_id;
    end = waits.until(
      { askId: requestId, signal, look: (patience, stop) => look(child, requestId, patience, stop) },
      raising,
    );
  } finally {
    raising.done();
  }
  const outcome = await end;
  const mail = await mailAbout(child, requestId);
  if (mail) await calls.mailbox.acknowledge(child.sessionId, mail.message_id);
  return outcome;
}

async function look(child: Clarifying, requestId: string, patienceMs: number, stop: AbortSignal) {
  const ask = await askIfShown(child, requestId);
  if (ask?.kind === 'question' && hasEnded(ask)) return asClarification(questionOutcome(ask));
  const mail = await mailAbout(child, requestId);
  if (mail) return outcomeOfMail(requestId, mail);
  if (patienceMs > 0) await sleep(LOOK_EVERY_MS, stop);
  return undefined;
}

/** Not there while the question waits for the parent's slot; not shown to a token of the child alone. */
async function askIfShown({ calls }: Clarifying, requestId: string): Promise<AskView | undefined> {
  try {
    return await calls.asks.get(requestId);
  } catch (error) {
    if (error instanceof HoldpointProblem && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

async function mailAbout({ calls, sessionId }: Clarifying, requestId: string): Promise<MessageView | undefined> {
  const messages = await listAll((page) => calls.mailbox.list(sessionId, page));
  return messages.find((m) => m.payload.request_id === requestId);
}

const asClarification = (outcome: AskOutcome): AskOutcome =>
  outcome.status === 'answered' ? outcome : { ...outcome, status: 'declined' };

interface Payload {
  declined: boolean;
  summary: string;
  answers: NonNullable<NonNullable<AskView['answer']>['answers']>;
  justification: string | null;
}

/** What the mail says, for a child that may not see its parent's session. */
function outcomeOfMail(requestId: string, mail: MessageView): AskOutcome {
  const { declined, summary, answers, justification } = mail.payload as unknown as Payload;
  const end = {
    ask_id: requestId,
    answered_by: mail.from_session_id,
    surface: 'system',
    answered_at_ms: mail.created_at_ms,
    justification: justification ?? undefined,
  };
  if (declined) return { ...end, status: 'declined', reason: justification ?? 'declined' };
  const given = answers.map((a) => ({
    question_id: a.question_id,
    selected_option_ids: a.selected_option_ids ?? [],
    labels: a.selected_option_ids ?? [],
    values: a.selected_option_ids ?? [],
    text: a.freeform_answer,
  }));
  return { ...end, status: 'answered', answer: summary, answers: given, skipped: [] };
}
