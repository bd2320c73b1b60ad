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
import type { QuestionAnswer } from '../core/answer.ts';
import type { Question } from '../core/question.ts';
import type { AskView, UserQuestionRequest } from '../core/views.ts';
import type { Desk } from './desk.ts';
import { elicitationOf, elicitedAnswers, speaksForms } from './elicitation.ts';
import { answersOf, askResult, jsonResult } from './result.ts';
import { speaksTasks, taskOf } from './tasks.ts';
import { type Patience, waitForEnd } from './wait.ts';

export interface Caller {
  era: 'legacy' | 'modern';
  capabilities: ClientCapabilities | undefined;
  ctx: ServerContext;
}

type Outcome = CallToolResult | InputRequiredResult;
/** What happened at the agent's screen. `nobody`: it was dismissed, or there is no one. */
type Local = { said: 'answer'; answers: QuestionAnswer[] } | { said: 'declined' } | { said: 'nobody' };

const INPUT = 'answer';

export async function putToPerson(desk: Desk, ask: AskView, caller: Caller, patience: Patience): Promise<Outcome> {
  if (ask.answer !== undefined) return handed(desk, ask, caller, saidIn(ask, caller));
  if (speaksForms(caller.capabilities)) {
    const local = saidIn(ask, caller);
    if (caller.era === 'modern' && !local)
      return inputRequired({
        inputRequests: { [INPUT]: inputRequired.elicit(elicitationOf(questionsOf(ask))) },
        requestState: ask.ask_id,
      });
    if (caller.era === 'legacy') return race(desk, ask, caller, patience);
    if (local && local.said !== 'nobody') return takeBack(desk, ask, caller, local);
  }
  if (caller.era === 'modern' && speaksTasks(caller.capabilities)) return taskOf(ask);
  return handed(desk, await waitForEnd(desk, ask.ask_id, caller.ctx, patience), caller);
}

const questionsOf = (ask: AskView): Question[] => (ask.request as UserQuestionRequest).questions;

/** The inbox and the agent's screen at once; whichever is slower is told that it is over. */
async function race(desk: Desk, ask: AskView, caller: Caller, patience: Patience): Promise<Outcome> {
  const over = new AbortController();
  const questions = questionsOf(ask);
  const atScreen = caller.ctx.mcpReq
    .elicitInput(elicitationOf(questions), { signal: over.signal, timeout: 2 ** 31 - 1 })
    .then((result) => localOf(questions, result.action, result.content))
    .catch((): Local => ({ said: 'nobody' }));
  const inInbox = waitForEnd(desk, ask.ask_id, caller.ctx, patience, over.signal);
  const first = await Promise.race([atScreen, inInbox]);
  if ('said' in first && first.said === 'nobody') return handed(desk, await inInbox, caller);
  over.abort('answered elsewhere');
  if ('said' in first) return takeBack(desk, ask, caller, first);
  return handed(desk, first, caller);
}

/** What a retried request brought back from the agent's screen. */
function saidIn(ask: AskView, { ctx }: Caller): Local | undefined {
  const response = inputResponse(ctx.mcpReq.inputResponses, INPUT);
  return response.kind === 'elicit' ? localOf(questionsOf(ask), response.action, response.content) : undefined;
}

function localOf(questions: readonly Question[], action: string, content: unknown): Local {
  if (action === 'decline') return { said: 'declined' };
  if (action !== 'accept') return { said: 'nobody' };
  const answers = elicitedAnswers(questions, content);
  return 'code' in answers ? { said: 'nobody' } : { said: 'answer', answers };
}

/** Somebody in the inbox may have been first after all: then that answer counts. */
async function takeBack(
  desk: Desk,
  ask: AskView,
  caller: Caller,
  local: Exclude<Local, { said: 'nobody' }>,
): Promise<Outcome> {
  const what = local.said === 'declined' ? 'declined' : 'answered';
  try {
    await desk.withdraw(ask.ask_id, `${what} at the agent's own screen`);
    return localResult(ask, local);
  } catch (error) {
    const now = await desk.look(ask.ask_id, 0);
    if (now.answer === undefined) throw error;
    return handed(desk, now, caller);
  }
}

function localResult({ ask_id, request }: AskView, local: Exclude<Local, { said: 'nobody' }>): CallToolResult {
  const { questions } = request as UserQuestionRequest;
  const answered_by = "a person at the agent's own screen";
  if (local.said === 'declined') return jsonResult({ ask_id, status: 'declined', answered_by });
  return jsonResult({ ask_id, status: 'answered', ...answersOf(questions, local.answers), answered_by });
}

/** The end of an ask, acknowledged when there is still somebody to tell. A repeat of what was said at the screen is told again. */
async function handed(desk: Desk, ask: AskView, { ctx }: Caller, local?: Local): Promise<CallToolResult> {
  const isTakenBack = ask.answer?.outcome === 'cancelled' && ask.answer.reason === 'withdrawn';
  if (isTakenBack && local && local.said !== 'nobody') return localResult(ask, local);
  if (ask.answer !== undefined && ask.delivery.state === 'due' && !ctx.mcpReq.signal.aborted)
    await desk.acknowledge(ask.ask_id, ask.answer.digest);
  return askResult(ask);
}
