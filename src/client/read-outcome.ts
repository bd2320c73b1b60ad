// Reads how an ask ended that no process waited for, from the program that raised it or from another. An outcome is
// acknowledged when it is read and may be read again; a pending ask has none.
import type { AskView } from '../core/views.ts';
import { type Asking, askApproval, askQuestion } from './asking.ts';
import type { Client } from './client.ts';
import { type ApprovalOutcome, type AskOutcome, hasEnded } from './outcome.ts';
import type { Waits } from './waits.ts';
import { readSecret } from './work.ts';

export interface Pending {
  ask_id: string;
  status: 'pending';
}

export interface OutcomeOptions {
  /** How long to wait for the end, at most a minute; not at all by default. */
  wait_ms?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Of an approval, `input` is what may run: the stored input, or what the person made of it. */
export type Outcome = ({ kind: 'question' } & AskOutcome) | ({ kind: 'approval' } & ApprovalOutcome);

/** How an ask ended; undefined while it has not. Acknowledges the answer. */
export async function readOutcome(
  client: Client,
  waits: Waits,
  askId: string,
  { wait_ms = 0, signal }: OutcomeOptions,
): Promise<{ ask: AskView; outcome: Outcome | undefined }> {
  const ask = await (wait_ms > 0 ? client.asks.wait(askId, wait_ms, signal) : client.asks.get(askId));
  if (!hasEnded(ask)) return { ask, outcome: undefined };
  const { work_folder } = await client.sessions.get(ask.session_id);
  const asking: Asking = {
    calls: client,
    waits,
    runId: ask.run_id,
    workFolder: work_folder,
    signal,
    reveal: (secret) => readSecret(client, secret),
  };
  const stored = async () => ask;
  if (ask.kind === 'question') {
    const { tool_call_id, questions } = ask.request;
    const outcome = await askQuestion(asking, { kind: 'question', tool_call_id, questions }, { stored });
    return { ask, outcome: { kind: 'question', ...(outcome as AskOutcome) } };
  }
  const { tool_call_id, tool_name, input, work_folder: own } = ask.request;
  const body = { kind: 'approval', tool_call_id, tool_name, input, work_folder: own } as const;
  const outcome = await askApproval(asking, body, { stored });
  return { ask, outcome: { kind: 'approval', ...(outcome as ApprovalOutcome) } };
}
