// What the MCP servers of Claude Code ask of the person, carried to them and back. Claude Code passes it on and waits; it
// checks nothing, so what was filled in is checked here against the form of the server. Owns which of these requests are
// open. Decides nothing: the server hears `accept` only for what a person accepted, or what the setting of an autonomous
// session allowed (an approval; a form with fields waits for a person there too), `decline` where they said no, and
// `cancel` for every other end.
import { createHash } from 'node:crypto';
import { HoldpointProblem } from '../../client/http.ts';
import type { AskOutcome, Held } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { approvalSpecOf, callIdOf, createKnownAsks, questionSpecOf } from '../kit/ask-ids.ts';
import { askOfElicitation, type Consent, type Elicited, type FilledIn } from '../kit/elicitation.ts';
import { createOpenAsk, type OpenAsk } from '../kit/pending-asks.ts';
import { contentOfForm } from '../wire/elicitation-form.ts';

export type ElicitationReply =
  | { action: 'accept'; content?: Record<string, unknown> }
  | { action: 'decline' }
  | { action: 'cancel' };

export interface Elicitations {
  /** `told`: when all that was said before it has been told. Undefined: nobody waits for a reply any more. */
  answer(requestId: string, asked: Elicited, told: Promise<unknown>): Promise<ElicitationReply | undefined>;
  /** Claude Code waits no longer: the server gave it up, or its call was interrupted or took too long. */
  takenBack(requestId: string): void;
  /** The process is gone: nothing that is open can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer. */
  owes(): boolean;
}

const PREFIX = 'elicitation-';
const ELSEWHERE = 'Claude Code no longer waits for it';
const CANCEL = { action: 'cancel' } as const;
const DECLINE = { action: 'decline' } as const;

/** Whether an ask is one of an MCP server; calls of Claude Code have other ids. */
export const isElicitation = ({ tool_call_id: id }: AskView): boolean => id.startsWith(PREFIX);

/**
 * Leaves out answers that the MCP server never got: an allow with a changed input, which the protocol cannot carry, and form
 * answers that failed the check and were asked again. `asks`: of one run, in order.
 */
export function thatCounted(asks: readonly AskView[]): AskView[] {
  return asks.filter((ask, at) => {
    if (!isElicitation(ask)) return true;
    if (ask.kind === 'approval') return !isChanged(ask);
    const next = asks.slice(at + 1).find((later) => callIdOf(later) === callIdOf(ask));
    return next === undefined || !isAskedAgain(next, asks);
  });
}

const isChanged = ({ answer, request }: AskView): boolean =>
  answer?.updated_input !== undefined &&
  canonical(answer.updated_input) !== canonical((request as ApprovalRequest).input);

/** It has words that the first of its kind had not: why the answer before it was refused. */
function isAskedAgain(ask: AskView, asks: readonly AskView[]): boolean {
  const first = asks.find((other) => callIdOf(other) === callIdOf(ask));
  return contextOf(ask) !== (first && contextOf(first));
}
const contextOf = ({ request }: AskView): string | undefined => (request as UserQuestionRequest).context;

/** `known`: what this run had asked for MCP servers before it was taken up again. */
export function createElicitations(context: AgentContext, known: readonly AskView[]): Elicitations {
  const earlier = createKnownAsks(known);
  const open = new Map<string, OpenAsk>();
  /** Something was open when the process was gone. */
  let wasLeft = false;

  async function put(asked: Elicited, open: OpenAsk): Promise<ElicitationReply> {
    const wanted = askOfElicitation(asked);
    if (!wanted)
      return unshown(
        asked,
        'it is not a form that can be filled in here, or its message is too long to be shown whole.',
      );
    // The request does not name its tool call, and a restarted process makes another one. So the id is a hash of what is
    // asked: the same text finds the ask that is open; once that was answered, a new one is raised.
    const id = idOf(asked);
    return wanted.kind === 'approval' ? consent(wanted, id, open) : fillIn(wanted, id, open);
  }

  async function fillIn(wanted: FilledIn, id: string, { manner }: OpenAsk) {
    const before = earlier.take('question', (ask) => callIdOf(ask) === id);
    let spec = before ? questionSpecOf(before) : earlier.fresh({ ...wanted.spec, id });
    for (;;) {
      const outcome = await context.ask(spec, manner);
      if (outcome.status !== 'answered') return noAnswer(outcome);
      const content = contentOfForm(wanted.form, outcome);
      if (typeof content !== 'string') return { action: 'accept' as const, content };
      const why = [wanted.spec.context, content].filter(Boolean).join('\n\n');
      spec = earlier.fresh({ ...wanted.spec, context: why, id });
    }
  }

  async function consent(wanted: Consent, id: string, { manner }: OpenAsk) {
    const before = earlier.take('approval', (ask) => callIdOf(ask) === id);
    const spec = before ? approvalSpecOf(before) : earlier.fresh({ ...wanted.spec, id });
    const outcome = await context.approve(spec, manner);
    if (outcome.status !== 'answered') return noAnswer(outcome);
    if (!outcome.allowed) return DECLINE;
    if (canonical(outcome.input) === canonical(spec.input))
      return { action: 'accept' as const, ...(!('url' in spec.input) && { content: {} }) };
    const text =
      'What an MCP server asks can be allowed only as it is: with the change that was made, it was declined.';
    await context.output(text, { type: 'status' });
    return DECLINE;
  }

  const noAnswer = ({ status }: { status: (AskOutcome | Held)['status'] }): ElicitationReply =>
    status === 'declined' ? DECLINE : CANCEL;

  async function unshown({ serverName }: Elicited, why: string): Promise<ElicitationReply> {
    const text = `The MCP server ${serverName} asked for something that nobody could be shown, and was told so: ${why}`;
    await context.output(text, { type: 'status' });
    return CANCEL;
  }

  return {
    async answer(requestId, asked, told) {
      const entry = createOpenAsk(context);
      open.set(requestId, entry);
      try {
        await told;
        const reply = await put(asked, entry);
        return entry.isTakenBack() ? undefined : reply;
      } catch (error) {
        if (entry.manner.signal.aborted) return undefined;
        if (!(error instanceof HoldpointProblem) || error.status >= 500 || error.code === 'lease_lost') throw error;
        return unshown(asked, error.detail);
      } finally {
        open.delete(requestId);
      }
    },
    takenBack(requestId) {
      open.get(requestId)?.takeBack(ELSEWHERE);
    },
    close() {
      wasLeft ||= open.size > 0;
      for (const ask of open.values()) ask.leave();
    },
    owes: () => wasLeft || open.size > 0,
  };
}

function idOf({ serverName, message, mode, url, requestedSchema }: Elicited): string {
  const words = JSON.stringify([serverName, message, mode, url, requestedSchema]);
  return PREFIX + createHash('sha256').update(words).digest('hex').slice(0, 24);
}
