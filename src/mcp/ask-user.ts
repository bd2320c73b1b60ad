// Puts a question to a person, in the inbox and, where the client can, at the agent's own screen. What the client declares
// decides how: elicitation (pushed in the 2025 protocol, an input-required result since 2026), a task to poll, else a call
// that waits. The first answer wins. One given at the agent's own screen withdraws the ask.
import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Question } from '../core/question.ts';
import type { QuestionAskView } from '../core/views.ts';
import type { Backed, Call } from './calls.ts';
import { elicitationOf, fitsForm, speaksForms } from './elicitation.ts';
import { handOver } from './handover.ts';
import { type OwnPrompt, settleAtPrompt } from './own-prompt.ts';
import { speaksTasks, taskOf } from './tasks.ts';
import { waitForEnd } from './wait.ts';

/** How the client can be asked, and the call it made. */
export interface Asker {
  era: 'legacy' | 'modern';
  protocol: string | undefined;
  capabilities: ClientCapabilities | undefined;
  prompt: OwnPrompt;
  /** When the client was asked to prompt, where this call has the reply. */
  promptedAt: number;
  call: Call;
  ctx: ServerContext;
}

type Outcome = CallToolResult | InputRequiredResult;

const INPUT = 'answer';

export async function putToPerson(backed: Backed, ask: QuestionAskView, asker: Asker): Promise<Outcome> {
  const { era, protocol, capabilities, prompt, promptedAt, call, ctx } = asker;
  const { backend } = backed;
  if (ask.answer !== undefined) return handOver(backed, ask, call);
  const canElicit = await mayPrompt(backed, ask.request.questions, asker);
  if (era === 'modern' && canElicit) {
    const reply = inputResponse(ctx.mcpReq.inputResponses, INPUT);
    if (reply.kind !== 'elicit') return promptFirst(ask, backend.now());
    if (await settleAtPrompt(backend, ask, { ...reply, promptedAt }))
      return handOver(backed, await backend.look(ask.ask_id, 0), call);
  }
  if (era === 'modern' && speaksTasks(capabilities)) return taskOf(ask);
  const leave = era === 'legacy' && canElicit ? prompt(ask, ctx, protocol) : () => {};
  try {
    return await handOver(backed, await waitForEnd(backed, ask, call, ctx), call);
  } finally {
    leave();
  }
}

type Speaker = Pick<Asker, 'era' | 'protocol' | 'capabilities'>;

async function mayPrompt(
  { backend }: Backed,
  questions: readonly Question[],
  { era, protocol, capabilities }: Speaker,
): Promise<boolean> {
  if (!speaksForms(capabilities)) return false;
  return fitsForm(questions, era === 'modern' ? undefined : protocol) && !(await backend.session()).isHosted;
}

/** Whether its model sees a comment while the question is open: not where the client itself prompts, or polls a task. */
export const readsComments = async (backed: Backed, questions: readonly Question[], asker: Speaker): Promise<boolean> =>
  asker.era === 'legacy' || !(speaksTasks(asker.capabilities) || (await mayPrompt(backed, questions, asker)));

const promptFirst = (ask: QuestionAskView, now: number): InputRequiredResult =>
  inputRequired({
    inputRequests: { [INPUT]: inputRequired.elicit(elicitationOf(ask.request.questions)) },
    requestState: `${ask.ask_id} ${now}`,
  });

/** The ask that an input-required result named, and when it was sent. */
export function promptedAsk(state: unknown): { askId: string; promptedAt: number } | undefined {
  if (typeof state !== 'string') return undefined;
  const [askId = '', promptedAt] = state.split(' ');
  return { askId, promptedAt: Number(promptedAt ?? 0) };
}
