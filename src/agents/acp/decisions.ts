// Puts one request of an ACP agent to a person and turns their decision into the reply that the agent expects. Sends no reply
// itself, and knows no other request. Without an explicit allow the reply rejects. The protocol carries no words: what the
// model has to know besides goes into a note, which the run sends as its next prompt.
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { AskOptions } from '../../client/asking.ts';
import type { ApprovalOutcome, AskOutcome } from '../../client/outcome.ts';
import type { AskSpec } from '../../client/spec.ts';
import { DEFAULT_DENIAL } from '../../core/answer.ts';
import { canonical } from '../../core/digest.ts';
import type { AskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { createKnownAsks } from '../kit/ask-ids.ts';
import { type Consent, contextWith, type FilledIn } from '../kit/elicitation.ts';
import { escapedJson } from '../kit/mention-escape.ts';
import { notAnsweredText } from '../kit/resume-message.ts';
import type { AboutRequest } from '../kit/side-question.ts';
import { ended, endOf, isAnswer, reportDeclined } from '../kit/unanswered.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';
import {
  allowance,
  answersTo,
  approvalSpec,
  CANCELLED,
  callIdFor,
  type PermissionReply,
  questionSpec,
  rejection,
} from './asks.ts';
import { askOf, contentOf, toolCallIdOf } from './elicitations.ts';
import type { Quirks } from './quirks.ts';
import type { Explain } from './side-questions.ts';

/** The reply, and the ask that it answers, where one was needed. `note`: what the model has to know besides. */
export interface Decision<Reply> {
  reply: Reply;
  askId?: string;
  note?: string | undefined;
}

export interface DecisionParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'output'>;
  unusedApprovals: UnusedApprovals;
  /** The asks of the run from before its process was restarted. */
  known: readonly AskView[];
  /** The program, as people call it. */
  title: string;
  /** Known once it has introduced itself, which is before it asks anything. */
  quirks(): Quirks;
  /** How the agent replies to a comment, where it can. */
  explain?(): Explain | undefined;
  /** An editor answers too: what ends here without an answer is left to it, and nothing can be changed. */
  isShared?: boolean;
}

/** It ended here without an answer, and another surface may still give one. */
class LeftToOthers extends Error {}

const CANCEL: CreateElicitationResponse = { action: 'cancel' };
const DECLINE: CreateElicitationResponse = { action: 'decline' };

export function createDecisions(parts: DecisionParts) {
  const { context, unusedApprovals, known, title, quirks, isShared = false } = parts;
  const ids = createKnownAsks(known);

  const explained = (about: AboutRequest): AskOptions => {
    const explain = parts.explain?.();
    return explain ? { onComment: (text, signal) => explain(about, text, signal) } : {};
  };

  /** Acknowledges an approval before it is reused, so that no other worker reuses it too. If refused, it is void. */
  const mayReuse = (askId: string): Promise<boolean> =>
    context.acknowledge(askId).then(
      () => true,
      () => false,
    );

  async function approval(request: RequestPermissionRequest, options: AskOptions): Promise<Decision<PermissionReply>> {
    const spec = ids.fresh(approvalSpec(request, quirks()));
    const input = JSON.parse(JSON.stringify(spec.input)) as Record<string, unknown>;
    const action = { tool_name: spec.tool_name, input, limits: spec.diff };
    const once = allowance(request.options, []);
    const reused = once && unusedApprovals.take(action);
    if (once && reused !== undefined && (await mayReuse(reused))) {
      await context.output(`Allowed as decided before (${reused}).`, { type: 'status' });
      return { reply: once };
    }
    const as = { ...spec, input, ...(isShared && { editable: false as const }) };
    const outcome = ended(await context.approve(as, { ...options, ...explained(spec) }));
    const denied = (note?: string) => ({
      askId: outcome.ask_id,
      reply: rejection(request.options),
      note: note && `You asked to use ${spec.tool_name}: ${escapedJson(input)}\n→ ${note}`,
    });
    if (!isAnswer(outcome)) return (await mayContinue(outcome)) ? denied(endOf(outcome)) : { reply: CANCELLED };
    if (!outcome.allowed)
      return denied(outcome.reason === DEFAULT_DENIAL ? undefined : `not allowed: ${outcome.reason}`);
    if (canonical(outcome.input) !== canonical(input)) {
      if (!outcome.isBound) unusedApprovals.add({ ...action, input: outcome.input }, outcome.ask_id);
      return denied(`allowed only in this form, so ask for exactly that: ${escapedJson(outcome.input)}`);
    }
    const reply = allowance(request.options, outcome.suggestion_ids);
    if (reply) return { askId: outcome.ask_id, reply };
    await context.output(NO_PLAIN_ALLOW, { type: 'status' });
    return denied(
      'not allowed: there is no single option that allows it once, and the person chose none of the others',
    );
  }

  async function question(
    request: RequestPermissionRequest,
    asked: AskSpec & { id: string },
    options: AskOptions,
  ): Promise<Decision<PermissionReply>> {
    const outcome = ended(await context.ask(ids.fresh(asked), { ...options, ...explained(asked) }));
    const reply = answersTo(request, { questions: asked.questions ?? [] }, outcome);
    if (reply) return { askId: outcome.ask_id, reply };
    if (!isAnswer(outcome) && !(await mayContinue(outcome))) return { reply: CANCELLED };
    return { askId: outcome.ask_id, reply: rejection(request.options), note: unansweredNote(asked, outcome) };
  }

  async function fillIn(
    { spec: asked, form }: FilledIn,
    id: string,
    options: AskOptions,
  ): Promise<Decision<CreateElicitationResponse>> {
    for (let about = asked.context; ; ) {
      const as = ids.fresh({ ...asked, context: about, id });
      const outcome = ended(await context.ask(as, { ...options, ...explained(asked) }));
      if (outcome.status !== 'answered') {
        if (!isAnswer(outcome) && !(await mayContinue(outcome))) return { reply: CANCEL };
        const reply = outcome.status === 'declined' ? DECLINE : CANCEL;
        return { askId: outcome.ask_id, reply, note: unansweredNote(asked, outcome) };
      }
      const content = contentOf(form, outcome);
      if (typeof content !== 'string')
        return { askId: outcome.ask_id, reply: { action: 'accept', content } as CreateElicitationResponse };
      await context.markUndeliverable(outcome.ask_id, content);
      about = contextWith(asked, content);
    }
  }

  async function consent(
    { spec }: Consent,
    id: string,
    options: AskOptions,
  ): Promise<Decision<CreateElicitationResponse>> {
    const as = ids.fresh({ ...spec, editable: false as const, id });
    const outcome = ended(await context.approve(as, { ...options, ...explained(spec) }));
    if (!isAnswer(outcome) && !(await mayContinue(outcome))) return { reply: CANCEL };
    const content = 'url' in spec.input ? {} : { content: {} };
    const accept = { action: 'accept', ...content } as CreateElicitationResponse;
    return { askId: outcome.ask_id, reply: outcome.allowed ? accept : DECLINE };
  }

  async function mayContinue(outcome: ApprovalOutcome | AskOutcome): Promise<boolean> {
    if (isShared) throw new LeftToOthers(endOf(outcome));
    return reportDeclined(context, title, outcome);
  }

  return {
    permission(request: RequestPermissionRequest, waiting: AskOptions): Promise<Decision<PermissionReply>> {
      const options: AskOptions = { ...waiting, acknowledge: 'sent' };
      const asked = questionSpec(request);
      return asked ? question(request, asked, options) : approval(request, options);
    },
    async elicitation(
      elicited: CreateElicitationRequest,
      requestId: string,
      waiting: AskOptions,
    ): Promise<Decision<CreateElicitationResponse>> {
      const options: AskOptions = { ...waiting, acknowledge: 'sent' };
      const wanted = askOf(elicited, title);
      const id = callIdFor(toolCallIdOf(elicited) ?? `elicitation-${requestId}`);
      if (wanted?.kind === 'approval') return consent(wanted, id, options);
      if (wanted) return fillIn(wanted, id, options);
      if (isShared) throw new LeftToOthers('it is not a form that can be filled in here');
      await context.output(`${title} asked for something that cannot be shown as a form here: it was declined.`, {
        type: 'status',
      });
      return { reply: CANCEL };
    },
  };
}

const NO_PLAIN_ALLOW =
  'The agent offers no single way to allow this once: it was denied. Take one of its suggestions to allow it.';

function unansweredNote(asked: AskSpec, outcome: AskOutcome): string | undefined {
  if (outcome.status === 'answered') return undefined;
  const questions = (asked.questions ?? []).map(({ question }) => question);
  return `You asked: ${questions.join(' / ')}\n→ ${notAnsweredText(outcome)}`;
}
