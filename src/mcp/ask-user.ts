// `ask_user`: a question to a person, asked in the inbox and, where the client can, at the agent's own screen. Chosen by
// what the client declares: elicitation (pushed in the 2025 protocol, as an input-required result since 2026), a task to
// poll, else a call that waits. First answer wins. One given at the agent's prompt is no answer of the agent's: the ask
// is taken back, and the agent is told what was said there.
import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AskView, QuestionAskView } from '../core/views.ts';
import { elicitationOf, speaksForms } from './elicitation.ts';
import { type OwnPrompt, settleAtPrompt } from './own-prompt.ts';
import { askResult } from './result.ts';
import { speaksTasks, taskOf } from './tasks.ts';
import type { ToolBackend } from './tool-backend.ts';
import { type Patience, waitForEnd } from './wait.ts';

export interface Caller {
  era: 'legacy' | 'modern';
  capabilities: ClientCapabilities | undefined;
  prompt: OwnPrompt;
  ctx: ServerContext;
}

type Outcome = CallToolResult | InputRequiredResult;

const INPUT = 'answer';

export async function putToPerson(
  backend: ToolBackend,
  ask: QuestionAskView,
  caller: Caller,
  patience: Patience,
): Promise<Outcome> {
  const { era, capabilities, prompt, ctx } = caller;
  if (ask.answer !== undefined) return handed(backend, ask, ctx);
  const canElicit = speaksForms(capabilities) && (await backend.hasOwnPrompt());
  if (era === 'modern' && canElicit) {
    const reply = inputResponse(ctx.mcpReq.inputResponses, INPUT);
    if (reply.kind !== 'elicit') return promptFirst(ask);
    if (await settleAtPrompt(backend, ask, reply)) return handed(backend, await backend.look(ask.ask_id, 0), ctx);
  }
  if (era === 'modern' && speaksTasks(capabilities)) return taskOf(ask);
  const leave = era === 'legacy' && canElicit ? prompt(ask, ctx) : () => {};
  try {
    return await handed(backend, await waitForEnd(backend, ask.ask_id, ctx, patience), ctx);
  } finally {
    leave();
  }
}

const promptFirst = (ask: QuestionAskView): InputRequiredResult =>
  inputRequired({
    inputRequests: { [INPUT]: inputRequired.elicit(elicitationOf(ask.request.questions)) },
    requestState: ask.ask_id,
  });

/** The end of an ask, acknowledged when there is still somebody to tell. */
async function handed(backend: ToolBackend, ask: AskView, ctx: ServerContext): Promise<CallToolResult> {
  if (ask.answer !== undefined && ask.delivery.state === 'due' && !ctx.mcpReq.signal.aborted)
    await backend.acknowledge(ask.ask_id, ask.answer.digest);
  return askResult(ask);
}
