// Puts one request of Codex to a person and turns their decision into the response that Codex expects, plus a message to
// the model where the response cannot carry it. Sends no response itself, and knows no other request. Without an explicit
// allow, or if the action could not be displayed, the response declines.
import type { AskOptions } from '../../client/asking.ts';
import type { ApprovalOutcome, AskOutcome, Held } from '../../client/outcome.ts';
import { DEFAULT_DENIAL } from '../../core/answer.ts';
import { canonical } from '../../core/digest.ts';
import type { AgentContext } from '../agent.ts';
import { nthId } from '../kit/ask-ids.ts';
import { CallIdTaken } from '../kit/attached-session.ts';
import { contextWith } from '../kit/elicitation.ts';
import type { PendingAsk } from '../kit/pending-asks.ts';
import type { AboutRequest } from '../kit/side-question.ts';
import { ended, endOf, isAnswer, reportDeclined } from '../kit/unanswered.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';
import { reusableFor, takeUnused } from './approval-reuse.ts';
import type { ApprovalAsk } from './approvals.ts';
import type { Interpretation } from './asks.ts';
import type { ModelMessages } from './model-messages.ts';
import { changedInput, type TurnRef } from './protocol.ts';
import type { QuestionAsk, QuestionResponse } from './questions.ts';
import type { Rollouts } from './rollouts.ts';
import type { SideQuestions } from './side-questions.ts';

type Pending = PendingAsk & { readonly turn: TurnRef | undefined };

/** The response to Codex, and the ask that it answers, where one was needed. */
interface Decision {
  result: unknown;
  askId?: string;
  /** Whether the response allows the action as Codex asked for it. */
  isAllowed?: boolean;
}

export interface DecisionParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'output'>;
  unusedApprovals: UnusedApprovals;
  rollouts: Rollouts;
  messages: ModelMessages;
  sideQuestions: Pick<SideQuestions, 'ask'>;
  /** Resolves when the server has recorded which answers reached Codex. */
  deliveriesRecorded(): Promise<void>;
  /** The sub-agents down to the thread; none for the conversation itself. */
  lineageOf(threadId: string): Promise<string[]>;
  /** Other clients answer too: what cannot be asked here is left to them, not declined. */
  isShared: boolean;
}

export function createDecisions(parts: DecisionParts) {
  const { context, unusedApprovals, rollouts, messages, sideQuestions, deliveriesRecorded, lineageOf, isShared } =
    parts;
  const uses = new Map<string, number>();
  const thePerson = isShared ? 'If it was not done, the person' : 'The person';

  /** One call may ask more than once (a patch, then the same patch without the sandbox). */
  function nextId(callId: string): string {
    const count = (uses.get(callId) ?? 0) + 1;
    uses.set(callId, count);
    return nthId(callId, count);
  }

  /** Resolves with the end of the ask. After attaching again, ids that the call used before are unknown, and skipped. */
  async function raise<T extends ApprovalOutcome | AskOutcome>(
    callId: string,
    { turn, options }: Pending,
    about: AboutRequest,
    ask: (as: { id: string; lineage?: string[] }, options: AskOptions) => Promise<T | Held>,
  ): Promise<T> {
    const lineage = turn ? await lineageOf(turn.threadId) : [];
    for (;;) {
      try {
        const as = { id: nextId(callId), ...(lineage.length > 0 && { lineage }) };
        return ended(await ask(as, { ...options, ...explained(turn, about), acknowledge: 'sent' }));
      } catch (error) {
        if (!(error instanceof CallIdTaken)) throw error;
      }
    }
  }

  const explained = (turn: TurnRef | undefined, about: AboutRequest): AskOptions =>
    turn ? { onComment: (text, signal) => sideQuestions.ask(turn.threadId, about, text, signal) } : {};

  /** Acknowledges an approval before it is reused, so that no other worker reuses it too. If refused, it is void. */
  const mayReuse = (askId: string): Promise<boolean> =>
    deliveriesRecorded()
      .then(() => context.acknowledge(askId))
      .then(
        () => true,
        () => false,
      );

  async function approval(asked: ApprovalAsk, pending: Pending): Promise<Decision | undefined> {
    const { spec, itemId } = asked;
    const { turn } = pending;
    const input = JSON.parse(JSON.stringify(spec.input)) as Record<string, unknown>;
    const respond = (allowed: boolean) => asked.responseTo({ allowed, input, suggestion_ids: [] });
    const reused = await takeUnused(asked, input, turn, unusedApprovals, rollouts);
    if (reused !== undefined && (await mayReuse(reused))) {
      await context.output(`Allowed as decided before (${reused}).`, { type: 'status' });
      return { result: respond(true) };
    }
    const outcome = await raise(asked.id, pending, spec, (as, options) =>
      context.approve({ ...spec, input, ...as }, options),
    );
    const { ask_id: askId } = outcome;
    if (!isAnswer(outcome)) {
      if (!(await mayDecline(outcome))) return undefined;
      await messages.send(`It was declined, because ${endOf(outcome)}.`, turn);
      return { askId, result: respond(false) };
    }
    const allowed = changedInput(outcome.input, input);
    if (outcome.allowed && !asked.takesChanges && canonical(allowed) !== canonical(input)) {
      const reusable = outcome.isBound ? undefined : await reusableFor(spec, { turn, itemId }, rollouts);
      if (reusable) unusedApprovals.add({ tool_name: spec.tool_name, input: allowed, ...reusable }, askId);
      const instead = typeof allowed.command === 'string' ? allowed.command : JSON.stringify(allowed);
      await messages.send(
        `${thePerson} allowed this instead, exactly as it stands here: ${instead}\nAsk for exactly that.`,
        turn,
      );
      return { askId, isAllowed: false, result: respond(false) };
    }
    if (!outcome.allowed && outcome.reason !== DEFAULT_DENIAL)
      await messages.send(`${thePerson} said no: ${outcome.reason}`, turn);
    return { askId, isAllowed: outcome.allowed, result: asked.responseTo(outcome) };
  }

  /** Undefined: it ended without an answer, and no response is sent. */
  async function question(
    asked: QuestionAsk,
    pending: Pending,
  ): Promise<(QuestionResponse & { askId: string }) | undefined> {
    for (let about = asked.spec.context; ; ) {
      const spec = { ...asked.spec, context: about };
      const outcome = await raise(asked.id, pending, spec, (as, options) => context.ask({ ...spec, ...as }, options));
      if (!isAnswer(outcome) && !(await mayDecline(outcome))) return undefined;
      const response = asked.responseTo(outcome);
      if (!('invalid' in response)) return { ...response, askId: outcome.ask_id };
      await context.markUndeliverable(outcome.ask_id, response.invalid);
      about = contextWith(asked.spec, response.invalid);
    }
  }

  const mayDecline = async (outcome: ApprovalOutcome | AskOutcome): Promise<boolean> =>
    !isShared && reportDeclined(context, 'Codex', outcome);

  async function undisplayable(
    { reason, result }: Extract<Interpretation, { kind: 'undisplayable' }>,
    { turn }: Pending,
  ): Promise<Decision | undefined> {
    const what = isShared ? 'it can only be answered at its own prompt' : 'it was declined';
    await context.output(`Codex asked for something that cannot be shown, so ${what}: ${reason}`, { type: 'status' });
    if (isShared) return undefined;
    await messages.send(`It was declined, because it could not be shown to the person. ${reason}`, turn);
    return { result };
  }

  return {
    /** Undefined: no response is sent. */
    async decide(asked: Interpretation, pending: Pending): Promise<Decision | undefined> {
      if (asked.kind === 'approval') return approval(asked, pending);
      if (asked.kind === 'undisplayable') return undisplayable(asked, pending);
      if (asked.kind !== 'question') return undefined;
      const response = await question(asked, pending);
      if (response?.message !== undefined) await messages.send(response.message, pending.turn);
      return response;
    },
    question,
  };
}
