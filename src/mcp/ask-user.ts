// `ask_user`: a question to a person, asked in the inbox and, where the client can, at the agent's own screen. Chosen by
// what the client declares: elicitation (pushed in the 2025 protocol, as an input-required result since 2026), a task to
// poll, else a call that waits. First answer wins. One given at the agent's screen is no answer of the agent's: the ask
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
import type { Desk } from './desk.ts';
import { elicitationOf, speaksForms } from './elicitation.ts';
import { askResult } from './result.ts';
import { type Screen, saidAtScreen } from './screen.ts';
import { speaksTasks, taskOf } from './tasks.ts';
import { type Patience, waitForEnd } from './wait.ts';

export interface Caller {
  era: 'legacy' | 'modern';
  capabilities: ClientCapabilities | undefined;
  screen: Screen;
  ctx: ServerContext;
}

type Outcome = CallToolResult | InputRequiredResult;

const INPUT = 'answer';

export async function putToPerson(
  desk: Desk,
  ask: QuestionAskView,
  caller: Caller,
  patience: Patience,
): Promise<Outcome> {
  const { era, capabilities, screen, ctx } = caller;
  if (ask.answer !== undefined) return handed(desk, ask, ctx);
  const canElicit = speaksForms(capabilities) && (await desk.hasScreen());
  if (era === 'modern' && canElicit) {
    const reply = inputResponse(ctx.mcpReq.inputResponses, INPUT);
    if (reply.kind !== 'elicit') return atScreenFirst(ask);
    if (await saidAtScreen(desk, ask, reply)) return handed(desk, await desk.look(ask.ask_id, 0), ctx);
  }
  if (era === 'modern' && speaksTasks(capabilities)) return taskOf(ask);
  const leave = era === 'legacy' && canElicit ? screen(ask, ctx) : () => {};
  try {
    return await handed(desk, await waitForEnd(desk, ask.ask_id, ctx, patience), ctx);
  } finally {
    leave();
  }
}

const atScreenFirst = (ask: QuestionAskView): InputRequiredResult =>
  inputRequired({
    inputRequests: { [INPUT]: inputRequired.elicit(elicitationOf(ask.request.questions)) },
    requestState: ask.ask_id,
  });

/** The end of an ask, acknowledged when there is still somebody to tell. */
async function handed(desk: Desk, ask: AskView, ctx: ServerContext): Promise<CallToolResult> {
  if (ask.answer !== undefined && ask.delivery.state === 'due' && !ctx.mcpReq.signal.aborted)
    await desk.acknowledge(ask.ask_id, ask.answer.digest);
  return askResult(ask);
}
