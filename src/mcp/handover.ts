// Hands answers over to tool calls: an answer is sent to a caller that is still there, and delivered when the caller has
// shown that it has it (calls.ts).
import type { CallToolResult } from '@modelcontextprotocol/server';
import { PLAIN_CALL } from '../core/id.ts';
import type { AskView } from '../core/views.ts';
import type { Backed, Call } from './calls.ts';
import { isClarification } from './handle.ts';
import { askResult, jsonResult } from './result.ts';
import type { ToolBackend } from './tool-backend.ts';

/** A client that repeats a call so often has its answer and asks anew: while the answer is new, and later. */
const MOST_ATTEMPTS = 20;
const MOST_LATE_ATTEMPTS = 5;
/**
 * One decision of a person lets an action happen once, but a result that was lost behind a proxy cannot be told from one
 * that was received: after this many, the person is asked again.
 */
const MOST_DECISION_ATTEMPTS = 6;

/**
 * At the beginning of a call: what the session was sent before counts as delivered where this call shows it. Returns the
 * asks that a repeat may mean.
 */
export async function settleEarlier(backed: Backed, call: Call, exceptAskId?: string): Promise<AskView[]> {
  await backed.calls.confirm(call, exceptAskId);
  return settleOld(backed, exceptAskId);
}

/** Sent so long ago that a caller without it would have asked again. */
export async function settleOld({ backend, patience }: Backed, exceptAskId?: string): Promise<AskView[]> {
  const [asks, { isHosted }] = await Promise.all([backend.unsettled(), backend.session()]);
  const open: AskView[] = [];
  for (const ask of asks) {
    // What a worker raised for its agent, it delivers, too.
    if (isHosted && !ask.tool_call_id.startsWith(PLAIN_CALL)) continue;
    const { state, sent_at_ms, attempts } = ask.delivery;
    const isPast = (at: number | undefined) => at !== undefined && at + patience.repeatMs <= backend.now();
    const isLate = isPast(ask.answer?.answered_at_ms);
    const most = ask.kind === 'approval' ? MOST_DECISION_ATTEMPTS : isLate ? MOST_LATE_ATTEMPTS : MOST_ATTEMPTS;
    if (state === 'due' && (isPast(sent_at_ms) || attempts >= most) && ask.ask_id !== exceptAskId)
      await acknowledge(backend, ask.ask_id);
    else open.push(ask);
  }
  return open;
}

/** The result of the call, with the answer if the caller can still take it. */
export async function handOver(
  backed: Backed,
  ask: AskView,
  call: Call,
  result: (ask: AskView) => CallToolResult = askResult,
): Promise<CallToolResult> {
  const isDue = ask.answer !== undefined && ask.delivery.state === 'due';
  const others = (await backed.backend.unsettled()).filter(({ ask_id }) => ask_id !== ask.ask_id);
  const sending = { call, isShared: others.some((other) => mayBeWaitedFor(backed, other)) };
  if (isDue && (call.signal.aborted || !(await send(backed, ask, sending)))) return askResult(unanswered(ask));
  return withForms(backed, result(ask), others, sending);
}

interface Sending {
  call: Call;
  /** A call may wait for another ask of the session, here or at another server. */
  isShared: boolean;
}

/** A call that waited for it may have been cut off, and come back after the timeout of its client. */
const mayBeWaitedFor = ({ backend, patience }: Backed, { created_at_ms }: AskView): boolean =>
  created_at_ms + 2 * patience.repeatMs > backend.now();

/** A client without a runtime may never look for the answer of its form: it comes with the next result. */
async function withForms(
  backed: Backed,
  result: CallToolResult,
  others: readonly AskView[],
  sending: Sending,
): Promise<CallToolResult> {
  const isUnread = ({ mode, tool_call_id, answer, delivery }: AskView) =>
    mode === 'form' && tool_call_id.startsWith(PLAIN_CALL) && answer && delivery.attempts === 0;
  const forms = others.filter(isUnread);
  if (forms.length === 0 || sending.call.signal.aborted) return result;
  for (const form of forms) await send(backed, form, sending);
  const earlier = forms.map((form) => askResult(form).structuredContent);
  return jsonResult({ ...(result.structuredContent as object), earlier });
}

async function send({ backend, calls }: Backed, ask: AskView, { call, isShared }: Sending): Promise<boolean> {
  const { ask_id: askId, answer } = ask;
  const none = async () => {};
  if (isClarification(ask)) {
    await calls.sent(call, { askId, isShared, confirm: () => backend.acknowledgeMail(askId), giveBack: none });
    return true;
  }
  try {
    await backend.send(askId, answer?.digest, call.key);
  } catch (error) {
    if (codeOf(error) !== 'ask_state_conflict') throw error;
    return (await backend.look(askId, 0)).delivery.state === 'delivered';
  }
  await calls.sent(call, {
    askId,
    isShared,
    confirm: () => acknowledge(backend, askId, call.key),
    giveBack: () => backend.giveBack(askId).catch(ifSettled),
  });
  return true;
}

async function acknowledge(backend: ToolBackend, askId: string, callKey?: string): Promise<void> {
  await backend.acknowledge(askId, callKey).catch(async (error: unknown) => {
    ifSettled(error);
    if (callKey !== undefined) await backend.giveBack(askId).catch(ifSettled);
  });
}

/** Another call was first, or the run has ended. */
function ifSettled(error: unknown): void {
  if (codeOf(error) !== 'ask_state_conflict') throw error;
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** For a caller that is gone: nothing is written that could be taken for the answer. */
const unanswered = (ask: AskView): AskView => ({ ...ask, status: 'pending', answer: undefined });
