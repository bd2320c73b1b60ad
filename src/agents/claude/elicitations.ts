// Asks a person what an MCP server of Claude Code elicits, and turns the outcome into the server's reply. Claude Code
// validates nothing, so a filled-in form is checked here. The reply is `accept` only for what a person accepted or the
// policy of an autonomous session allowed, `decline` for a no, and `cancel` for every other end.
import { createHash } from 'node:crypto';
import { isFinalRefusal } from '../../client/http.ts';
import type { AskOutcome, Held } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalAskView, AskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { approvalSpecOf, callIdOf, createKnownAsks, questionSpecOf } from '../kit/ask-ids.ts';
import { askOfElicitation, type Consent, contextWith, type Elicited, type FilledIn } from '../kit/elicitation.ts';
import type { PendingAsk, PendingAsks } from '../kit/pending-asks.ts';
import { contentOfForm } from '../wire/elicitation-form.ts';

export type ElicitationReply =
  | { action: 'accept'; content?: Record<string, unknown> }
  | { action: 'decline' }
  | { action: 'cancel' };

const PREFIX = 'elicitation-';
const CANCEL = { action: 'cancel' } as const;
const DECLINE = { action: 'decline' } as const;

/** Whether an ask is an elicitation; the call ids of Claude Code never have this prefix. */
export const isElicitation = ({ tool_call_id: id }: AskView): boolean => id.startsWith(PREFIX);

/**
 * Leaves out answers that the MCP server never got: an allow with a changed input, which the protocol cannot carry, and
 * forms that failed the check and were asked again. `asks`: of one run, in order.
 */
export function withoutUnusedElicitations(asks: readonly AskView[]): AskView[] {
  return asks.filter((ask, at) => {
    if (!isElicitation(ask)) return true;
    if (ask.kind === 'approval') return !isChanged(ask);
    const next = asks.slice(at + 1).find((later) => callIdOf(later) === callIdOf(ask));
    return next === undefined || !hasReasonForRetry(next, asks);
  });
}

const isChanged = ({ answer, request }: ApprovalAskView): boolean =>
  answer?.updated_input !== undefined && canonical(answer.updated_input) !== canonical(request.input);

/** Its context is longer than that of the first ask: it says why the previous answer was refused. */
function hasReasonForRetry(ask: AskView, asks: readonly AskView[]): boolean {
  const first = asks.find((other) => callIdOf(other) === callIdOf(ask));
  return contextOf(ask) !== (first && contextOf(first));
}
const contextOf = (ask: AskView): string | undefined => (ask.kind === 'question' ? ask.request.context : undefined);

/** `known`: the elicitations of this run from before its process was restarted. */
export function createElicitations(
  context: AgentContext,
  pending: PendingAsks<string, object>,
  known: readonly AskView[],
) {
  const earlier = createKnownAsks(known);

  function raise(elicited: Elicited, ask: PendingAsk): Promise<ElicitationReply> {
    const wanted = askOfElicitation(elicited);
    const id = idOf(elicited);
    if (wanted?.kind === 'approval') return consent(wanted, id, ask);
    if (wanted) return fillIn(wanted, id, ask);
    return notShown(
      elicited,
      'it is not a form that can be filled in here, or its message is too long to be shown whole.',
    );
  }

  async function fillIn(
    { spec: asked, form }: FilledIn,
    id: string,
    { options }: PendingAsk,
  ): Promise<ElicitationReply> {
    const stored = earlier.take('question', (ask) => callIdOf(ask) === id);
    let spec = stored ? questionSpecOf(stored) : earlier.fresh({ ...asked, id });
    for (;;) {
      const outcome = await context.ask(spec, options);
      if (outcome.status !== 'answered') return replyWithoutAnswer(outcome);
      const content = contentOfForm(form, outcome);
      if (typeof content !== 'string') return { action: 'accept', content };
      spec = earlier.fresh({ ...asked, context: contextWith(asked, content), id });
    }
  }

  async function consent({ spec: asked }: Consent, id: string, { options }: PendingAsk): Promise<ElicitationReply> {
    const stored = earlier.take('approval', (ask) => callIdOf(ask) === id);
    const spec = stored ? approvalSpecOf(stored) : earlier.fresh({ ...asked, id });
    const outcome = await context.approve(spec, options);
    if (outcome.status !== 'answered') return replyWithoutAnswer(outcome);
    if (!outcome.allowed) return DECLINE;
    if (canonical(outcome.input) === canonical(spec.input))
      return { action: 'accept', ...(!('url' in spec.input) && { content: {} }) };
    const text =
      'What an MCP server asks can be allowed only as it is: with the change that was made, it was declined.';
    await context.output(text, { type: 'status' });
    return DECLINE;
  }

  async function notShown({ serverName }: Elicited, why: string): Promise<ElicitationReply> {
    const text = `The MCP server ${serverName} asked for something that nobody could be shown, and was told so: ${why}`;
    await context.output(text, { type: 'status' });
    return CANCEL;
  }

  /** `ready`: resolves when the ask may be raised. Undefined: the server no longer waits for a reply. */
  return async (
    requestId: string,
    elicited: Elicited,
    ready: Promise<unknown>,
  ): Promise<ElicitationReply | undefined> => {
    const ask = pending.open(requestId, {});
    try {
      await ready;
      const reply = await raise(elicited, ask);
      return ask.isOver() ? undefined : reply;
    } catch (error) {
      if (ask.isOver()) return undefined;
      if (!isFinalRefusal(error)) throw error;
      return notShown(elicited, error.detail);
    } finally {
      ask.done();
    }
  };
}

const replyWithoutAnswer = ({ status }: { status: (AskOutcome | Held)['status'] }): ElicitationReply =>
  status === 'declined' ? DECLINE : CANCEL;

/**
 * A hash of what is elicited, because the request does not name its tool call, and a restarted process makes another one:
 * the same text finds the open ask, and a new ask once that was answered.
 */
function idOf({ serverName, message, mode, url, requestedSchema }: Elicited): string {
  const text = JSON.stringify([serverName, message, mode, url, requestedSchema]);
  return PREFIX + createHash('sha256').update(text).digest('hex').slice(0, 24);
}
